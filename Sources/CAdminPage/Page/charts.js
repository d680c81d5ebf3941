// Charts of the last hour as SVG: lines, or areas upon each other.
import { h, svg, setText } from './dom.js'
import { clock } from './format.js'

const width = 600
const height = 132

/**
 * `series`: {name, kind: 0…7 (colour), values}; a value is a number or null. `format` makes text of
 * a value.
 */
export class Chart {
  #data = null

  constructor(title, { stacked = false, isWhole = false, format, empty = 'No figures yet.' }) {
    this.stacked = stacked
    this.isWhole = isWhole
    this.format = format
    this.emptyText = empty
    this.plot = svg('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img' })
    this.axis = h('div')
    this.times = h('div', { class: 'x', 'aria-hidden': 'true' })
    this.legend = h('ul', { class: 'legend' })
    this.box = h('div', { class: 'plot' }, this.plot, this.axis)
    this.title = title
    this.element = h('section', { class: 'card chart' }, h('h3', null, title), this.box, this.times, this.legend)
    this.box.addEventListener('pointermove', (event) => this.#point(event))
    this.box.addEventListener('pointerleave', () => this.#point(null))
  }

  /** `times`: UNIX seconds, ascending. */
  show(times, series) {
    const used = series.filter((one) => one.values.some((value) => value))
    this.#data = { times, series: used.length ? used : series.slice(0, 1) }
    this.#draw()
  }

  #draw() {
    const { times, series } = this.#data
    const sums = times.map((_, index) => this.stacked
      ? series.reduce((sum, one) => sum + (one.values[index] ?? 0), 0)
      : Math.max(0, ...series.map((one) => one.values[index] ?? 0)))
    const top = Math.max(this.isWhole ? 2 : 0, nice(Math.max(0, ...sums)))
    this.top = top
    const y = (value) => height - (value / top) * height
    // An hour is the whole width; a young process shows what there is, ten minutes at least.
    const end = times.at(-1) ?? Date.now() / 1000
    const span = Math.min(3600, Math.max(600, end - (times[0] ?? end)))
    const x = (time) => width - ((end - time) / span) * width
    this.x = x
    const parts = [0, 0.5, 1].map((part) =>
      svg('line', { class: 'grid', x1: 0, x2: width, y1: part * height, y2: part * height }))
    const base = times.map(() => 0)
    for (const one of series) {
      parts.push(this.stacked ? area(one, times, base, x, y) : trace(one, times, x, y))
    }
    this.hair = svg('line', { class: 'hair', y1: 0, y2: height, visibility: 'hidden' })
    parts.push(this.hair)
    this.plot.replaceChildren(...parts)
    this.axis.replaceChildren(...[0, 0.5, 1].map((part) => {
      const label = h('span', { class: 'y', 'aria-hidden': 'true' }, this.format(top * (1 - part)))
      label.style.top = `${part * 100}%`
      return label
    }))
    this.times.replaceChildren(...[span, span / 2, 0].map((back) => h('span', null, back ? clock(end - back) : 'now')))
    this.#describe(times.length - 1)
    this.plot.setAttribute('aria-label', `${this.title}, latest: ${this.legend.textContent || this.emptyText}`)
  }

  #describe(index) {
    const { times, series } = this.#data
    const entries = series.map((one) => h('li', null, h('i', { class: `k k${one.kind}` }), `${one.name} `,
      h('b', null, this.format(one.values[index] ?? null)), ' '))
    if (index >= 0 && index < times.length - 1) entries.push(h('li', { class: 'quiet' }, clock(times[index])))
    this.legend.replaceChildren(...(entries.length ? entries : [h('li', { class: 'quiet' }, this.emptyText)]))
  }

  #point(event) {
    if (!this.#data?.times.length) return
    const { times } = this.#data
    if (!event) {
      this.hair.setAttribute('visibility', 'hidden')
      return this.#describe(times.length - 1)
    }
    const box = this.box.getBoundingClientRect()
    const at = ((event.clientX - box.left) / box.width) * width
    let best = 0
    times.forEach((time, index) => {
      if (Math.abs(this.x(time) - at) < Math.abs(this.x(times[best]) - at)) best = index
    })
    for (const side of ['x1', 'x2']) this.hair.setAttribute(side, this.x(times[best]))
    this.hair.setAttribute('visibility', 'visible')
    this.#describe(best)
  }
}

/** A line through points that follow each other; a point alone is a dot. */
function trace(one, times, x, y) {
  let line = ''
  let dots = ''
  const is = (index) => one.values[index] !== null && one.values[index] !== undefined
  times.forEach((time, index) => {
    if (!is(index)) return
    const place = `${x(time).toFixed(1)} ${y(one.values[index]).toFixed(1)}`
    line += `${is(index - 1) ? 'L' : 'M'}${place}`
    if (!is(index - 1) && !is(index + 1)) dots += `M${place}h0.1`
  })
  return svg('g', { class: `trace k${one.kind}` },
    svg('path', { d: line || 'M0 0' }), svg('path', { class: 'dot', d: dots || 'M0 0' }))
}

/** A step for each point, upon `base`, which it raises. */
function area(one, times, base, x, y) {
  let path = ''
  times.forEach((time, index) => {
    const value = one.values[index] ?? 0
    if (!value) return
    const [left, right] = [x(times[index - 1] ?? time - 10), x(time)]
    const [low, high] = [y(base[index]), y(base[index] + value)]
    base[index] += value
    path += `M${left.toFixed(1)} ${low.toFixed(1)}V${high.toFixed(1)}H${right.toFixed(1)}V${low.toFixed(1)}Z`
  })
  return svg('path', { class: `area k${one.kind}`, d: path || 'M0 0' })
}

/** The next round figure above. */
function nice(value) {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  for (const step of [1, 2, 4, 5, 10]) if (value <= step * power) return step * power
  return value
}

/** A figure with its name below. */
export function figure(name, href) {
  const value = h('b', null, '–')
  const note = h('span', null, name)
  const element = h(href ? 'a' : 'div', { class: 'card figure', href }, value, note)
  return {
    element,
    set(text, tone, title) {
      setText(value, text)
      element.dataset.tone = tone ?? ''
      if (title !== undefined) setText(note, title)
    },
  }
}
