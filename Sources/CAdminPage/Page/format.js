// Figures and moments as people read them.

const whole = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export function count(value) {
  if (value === null || value === undefined) return '–'
  return whole.format(value)
}

/** At most five characters, for figures of cards and axes. */
export function short(value) {
  if (value === null || value === undefined) return '–'
  if (Math.abs(value) >= 10000) return compact.format(value)
  return whole.format(Math.abs(value) < 10 ? Math.round(value * 10) / 10 : Math.round(value))
}

export function rate(value) {
  return value === null || value === undefined ? '–' : `${short(value)}/s`
}

/** A length of time in seconds. */
export function seconds(value) {
  if (value === null || value === undefined) return '–'
  if (value === 0) return '0 s'
  if (value < 0.001) return `${Math.max(1, Math.round(value * 1e6))} µs`
  if (value < 1) return `${Math.round(value * 1000)} ms`
  if (value < 10) return `${Math.round(value * 10) / 10} s`
  if (value < 120) return `${Math.round(value)} s`
  if (value < 7200) return `${Math.round(value / 60)} min`
  if (value < 172800) return `${Math.round(value / 3600)} h`
  return `${Math.round(value / 86400)} d`
}

/** How long ago a moment of UNIX milliseconds is. */
export function ago(milliseconds) {
  if (!milliseconds) return '–'
  const past = (Date.now() - milliseconds) / 1000
  return past < 1 ? 'now' : `${seconds(past)} ago`
}

/** How far a moment of UNIX seconds is ahead. */
export function ahead(unix) {
  const left = unix - Date.now() / 1000
  return left < 0 ? `ended ${seconds(-left)} ago` : `in ${seconds(left)}`
}

export function moment(milliseconds) {
  return milliseconds ? new Date(milliseconds).toLocaleString() : '–'
}

export function clock(unix) {
  return new Date(unix * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
}
