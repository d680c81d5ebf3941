// Made by scripts/lib/embed_page.py from Page/ and docs/openapi.json: change those, then run it.
// swift-format-ignore-file

enum PageFiles {
  /// The files of Page/ by name.
  static let all: [(name: String, text: String)] = [
    ("api.js", api_js),
    ("app.js", app_js),
    ("apps.js", apps_js),
    ("charts.js", charts_js),
    ("dead-tasks.js", dead_tasks_js),
    ("dead.js", dead_js),
    ("dom.js", dom_js),
    ("format.js", format_js),
    ("icon.svg", icon_svg),
    ("index.html", index_html),
    ("overview.js", overview_js),
    ("page.css", page_css),
    ("queues.js", queues_js),
    ("tokens.js", tokens_js),
    ("workers.js", workers_js),
  ]

  static let api_js = #"""
// Talks to the JSON API. The token comes by the address's fragment, which no request carries, and
// stays in this tab.
import { h, openDialog, field } from './dom.js'

const name = 'allim-token'
let token = sessionStorage.getItem(name)
let asking = null

/** Takes the token out of the address, so that it is not copied with it. */
export function takeToken() {
  const match = /^#token=([^&]*)/.exec(location.hash)
  if (!match) return
  keep(decodeURIComponent(match[1]))
  history.replaceState(null, '', `${location.pathname}#/overview`)
}

function keep(value) {
  token = value || null
  if (token) sessionStorage.setItem(name, token)
  else sessionStorage.removeItem(name)
}

export class ApiError extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

async function call(method, path, body) {
  const headers = {}
  if (token) headers.Authorization = `Bearer ${token}`
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const answer = await fetch(`/api/v1/${path}`, {
    method, headers, cache: 'no-store', signal: AbortSignal.timeout(30000),
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await answer.text()
  let value
  try { value = JSON.parse(text) } catch { value = { error: text.trim() } }
  if (!answer.ok) throw new ApiError(answer.status, value.error ?? `status ${answer.status}`)
  return value
}

/** Asks for the token when it is wanted, and tries again. */
async function withToken(attempt) {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (error.status !== 401) throw error
      const wrong = token !== null
      if (!(await (asking ??= ask(wrong)))) throw error
    }
  }
}

async function ask(wrong) {
  const input = h('input', {
    type: 'password', autocomplete: 'off', required: true, autofocus: true, id: 'token',
    'aria-describedby': 'token-help',
  })
  const given = await openDialog('Admin token', (heading, close) =>
    h('form', { onsubmit: (event) => { event.preventDefault(); close(input.value.trim()) } },
      heading,
      h('p', { id: 'token-help', role: wrong ? 'alert' : undefined },
        wrong ? 'The token is wrong. ' : 'This needs the admin token. ',
        'It is in the file of admin.tokenFile, else in .allim/admin-token beside the worker.'),
      field('Token', input),
      h('div', { class: 'foot' },
        h('button', { type: 'button', onclick: () => close('') }, 'Cancel'),
        h('button', { type: 'submit', class: 'main' }, 'Continue'))))
  asking = null
  if (given) keep(given)
  return Boolean(given)
}

function withQuery(path, query) {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== '' && value != null)
  return pairs.length ? `${path}?${new URLSearchParams(pairs)}` : path
}

export const get = (path, query) => withToken(() => call('GET', withQuery(path, query)))
export const post = (path, body) => withToken(() => call('POST', path, body ?? {}))

"""#

  static let app_js = #"""
// The frame of the page: sections, the clock that refreshes them, and what the header says.
import { get, takeToken } from './api.js'
import { h, setText } from './dom.js'
import { short } from './format.js'
import { overview } from './overview.js'
import { queues } from './queues.js'
import { workers } from './workers.js'
import { apps } from './apps.js'
import { dead } from './dead.js'
import { tokens } from './tokens.js'

const sections = { overview, queues, workers, apps, dead, tokens }
const period = 2000

const main = document.getElementById('main')
const nav = document.getElementById('nav')
const state = document.getElementById('state')
const context = { session: null, isReadOnly: false, visit: 0 }
let current = null
let timer = 0

function drawNav() {
  for (const [name, section] of Object.entries(sections)) {
    const badge = h('span', { class: 'count', hidden: true })
    nav.append(h('a', { href: `#/${name}`, id: `nav-${name}` }, section.title, badge))
  }
}

/** `#/name?filter` */
function place() {
  const [name, query] = location.hash.replace(/^#\/?/, '').split('?')
  return { name: name in sections ? name : 'overview', query: new URLSearchParams(query) }
}

function show() {
  const { name, query } = place()
  context.visit += 1
  const section = sections[name]
  for (const link of nav.children) {
    if (link.id === `nav-${name}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  document.title = `${section.title} · Allim`
  const element = h('div')
  element.style.display = 'contents'
  current = section.make(element, context, query)
  main.replaceChildren(element)
  document.getElementById(`nav-${name}`).scrollIntoView({ block: 'nearest', inline: 'nearest' })
  refresh()
}

async function refresh() {
  clearTimeout(timer)
  const visit = context.visit
  try {
    context.session ??= await begin()
    await current.refresh(() => visit === context.visit)
    setState('live', context.isReadOnly ? 'live, read-only' : 'live')
  } catch (error) {
    const isLost = error.status === undefined
    setState('lost', isLost ? 'no connection to the worker' : error.message)
  }
  if (visit !== context.visit) return
  // A page that nobody sees asks for nothing.
  clearTimeout(timer)
  if (!document.hidden) timer = setTimeout(refresh, period)
}

async function begin() {
  const session = await get('session')
  context.isReadOnly = session.readOnly
  setText(document.getElementById('instance'), `${session.version} on ${session.host}, redis ${session.redis}`)
  return session
}

function setState(kind, text) {
  if (state.dataset.state !== kind) state.dataset.state = kind
  setText(state, text)
}

/** Figures beside the sections' names. */
context.badge = (name, value) => {
  const badge = document.querySelector(`#nav-${name} .count`)
  badge.hidden = !value
  setText(badge, short(value))
}

context.refresh = refresh

// What a click could not do is said, whoever made the call.
let problemTimer = 0
addEventListener('unhandledrejection', (event) => {
  event.preventDefault()
  const problem = document.getElementById('problem')
  setText(problem, event.reason?.message ?? 'it failed')
  problem.hidden = false
  clearTimeout(problemTimer)
  problemTimer = setTimeout(() => { problem.hidden = true }, 6000)
})

takeToken()
drawNav()
addEventListener('hashchange', () => {
  takeToken()
  show()
  main.focus({ preventScroll: true })
})
document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh() })
document.getElementById('skip').addEventListener('click', () => main.focus())
show()

"""#

  static let apps_js = #"""
import { get, post } from './api.js'
import { h, Table, tag, setTag, setText, announce, confirmDialog } from './dom.js'
import { ahead, count } from './format.js'

export const apps = {
  title: 'Apps',
  make(root, context) {
    const credentials = new Table('Apps and credentials', [
      { title: 'App', cell: (row) => row.app },
      { title: 'Provider', cell: (row) => row.provider === 'apns' ? `APNs ${row.environment}` : 'FCM' },
      { title: 'Connections', kind: 'n', cell: (row) => connections(row) },
      { title: 'Requests under way', kind: 'n', cell: (row) => count(row.streams) },
      { title: 'Breaker', make: () => tag('', ''), update: (cell, row) => setTag(cell, row.breakerOpen ? 'open' : 'closed', row.breakerOpen ? 'bad' : 'good') },
      { title: 'Brake', make: () => tag('', ''), update: (cell, row) => setTag(cell, row.brake ? 'on' : 'off', row.brake ? 'warn' : 'good') },
      { title: 'Parked', kind: 'n', cell: (row) => count(row.parked) },
      { title: 'Expiry', cell: (row) => row.expiresAt ? ahead(row.expiresAt) : 'none' },
    ], { key: (row) => `${row.app} ${row.provider} ${row.environment}`, empty: 'No app is configured.' })
    const switches = new Table('Sending by app', [
      { title: 'App', kind: 'wide', cell: (row) => row.app },
      { title: 'State', make: () => tag('', ''), update: (cell, row) => setTag(cell, row.paused ? 'paused' : 'sending', row.paused ? 'warn' : 'good') },
      {
        title: 'Action', kind: 'act',
        make: (row, now) => h('button', { type: 'button', onclick: () => toggle(now(), context) }),
        update: (cell, row) => {
          setText(cell, row.paused ? 'Resume' : 'Pause')
          cell.setAttribute('aria-label', `${row.paused ? 'Resume' : 'Pause'} sending for ${row.app}`)
          cell.disabled = context.isReadOnly
        },
      },
    ], { key: (row) => row.app, empty: 'No app is configured.', stack: false })
    root.append(
      h('div', { class: 'head' }, h('h2', null, 'Apps and credentials'),
        h('p', { class: 'quiet' }, 'connections, breakers and brakes of this process')),
      h('section', { class: 'card' }, credentials.element),
      h('section', { class: 'card' }, h('h3', null, 'Sending'), switches.element))
    return {
      async refresh(isCurrent) {
        const answer = await get('apps')
        if (!isCurrent()) return
        credentials.show(answer.credentials)
        switches.show(answer.apps)
      },
    }
  },
}

function connections(row) {
  const more = []
  if (row.opening) more.push(`${row.opening} opening`)
  if (row.draining) more.push(`${row.draining} draining`)
  return [`${row.ready} of ${row.connectionsMax}`, ...more].join(', ')
}

async function toggle(row, context) {
  if (!row.paused && !(await confirmDialog(`Pause sending for ${row.app}?`,
    'Its events wait in the parked lists of every worker until you resume.', 'Pause'))) return
  await post(row.paused ? 'resume' : 'pause', { app: row.app })
  announce(`${row.app} is ${row.paused ? 'sending' : 'paused'}`)
  context.refresh()
}

"""#

  static let charts_js = #"""
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
    this.legend.replaceChildren(...entries)
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

function trace(one, times, x, y) {
  let path = ''
  let isDown = false
  // A point alone is a dot.
  times.forEach((time, index) => {
    const value = one.values[index]
    if (value === null || value === undefined) { isDown = false; return }
    path += `${isDown ? 'L' : 'M'}${x(time).toFixed(1)} ${y(value).toFixed(1)}${isDown ? '' : 'h0.1'}`
    isDown = true
  })
  return svg('path', { class: `trace k${one.kind}`, d: path || 'M0 0' })
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

"""#

  static let dead_tasks_js = #"""
// Retry and purge of many dead letters: first a count of what would be done, then a task of the
// worker that is watched here.
import { get, post } from './api.js'
import { h, setText, announce, openDialog, field } from './dom.js'
import { count } from './format.js'

/** Counts what a filter matches, in steps; calls `tell` after each. False when stopped. */
async function preview(filter, ttl, tell, isStopped) {
  const sum = { matching: 0, retriable: 0, expired: 0, unusable: 0, scanned: 0, total: 0 }
  let from = 0
  while (from !== null) {
    const part = await get('dead/preview', { ...filter, from, ttl })
    if (isStopped()) return null
    for (const name of ['matching', 'retriable', 'expired', 'unusable', 'scanned']) sum[name] += part[name]
    sum.total = part.count
    tell(sum, part.next === null)
    from = part.next
  }
  return sum
}

function describe(filter) {
  const parts = []
  if (filter.reason) parts.push(`reason ${filter.reason}`)
  if (filter.app) parts.push(`app ${filter.app}`)
  if (filter.older) parts.push(`older than ${filter.older}`)
  if (filter.text) parts.push(`with “${filter.text}”`)
  return `${parts.length ? parts.join(', ') : 'all letters'} of ${filter.queue}`
}

function clean(filter) {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))
}

/** The dialogs' common part: counts while it is open; `build` gets the elements. */
function withPreview(title, filter, { label, danger, sentence, extra, body }) {
  const said = h('p', { role: 'status' }, 'counting …')
  const bar = h('progress', { max: 1, value: 0, 'aria-label': 'Counting' })
  const submit = h('button', { type: 'submit', class: danger ? 'danger' : 'main', disabled: true, id: 'task-start' }, label(null))
  const problem = h('p', { class: 'notice', 'data-tone': 'bad', role: 'alert', hidden: true })
  let round = 0
  const start = (ttl) => {
    round += 1
    const mine = round
    submit.disabled = true
    preview(filter, ttl, (sum, isDone) => {
      bar.max = Math.max(1, sum.total)
      bar.value = isDone ? bar.max : sum.scanned
      bar.hidden = isDone
      setText(said, isDone ? sentence(sum) : `counting: ${count(sum.scanned)} of ${count(sum.total)} …`)
      if (isDone) {
        setText(submit, label(sum))
        submit.disabled = danger ? !sum.matching : !sum.retriable
      }
    }, () => mine !== round).catch((error) => { problem.hidden = false; setText(problem, error.message) })
  }
  const result = openDialog(title, (heading, close) => h('form', {
    onsubmit: async (event) => {
      event.preventDefault()
      submit.disabled = true
      try {
        await post(danger ? 'dead/purge' : 'dead/retry', { ...clean(filter), ...body() })
        close(true)
      } catch (error) {
        problem.hidden = false
        setText(problem, error.message)
        submit.disabled = false
      }
    },
  }, heading, h('p', null, describe(filter)), bar, said, ...extra(start), problem,
  h('div', { class: 'foot' },
    h('button', { type: 'button', autofocus: true, onclick: () => close(false) }, 'Cancel'), submit)))
  start()
  return result.finally(() => { round += 1 })
}

export function askRetry(filter) {
  const rate = h('input', { type: 'number', min: 1, max: 1000000, value: 100, required: true, id: 'task-rate' })
  const ttl = h('input', { type: 'number', min: 1, max: 2592000, placeholder: 'none' })
  return withPreview('Retry dead letters', filter, {
    danger: false,
    label: (sum) => sum ? `Retry ${count(sum.retriable)}` : 'Retry',
    sentence: (sum) => [
      `${count(sum.matching)} match, ${count(sum.retriable)} would be sent again.`,
      sum.expired ? `${count(sum.expired)} have expired and stay.` : '',
      sum.unusable ? `${count(sum.unusable)} hold no whole event and stay.` : '',
    ].filter(Boolean).join(' '),
    extra: (start) => {
      ttl.addEventListener('change', () => start(ttl.value))
      return [h('div', { class: 'filters' }, field('At most a second', rate), field('New lifetime, seconds', ttl))]
    },
    body: () => ({ rate: Number(rate.value), ...(ttl.value ? { ttl: Number(ttl.value) } : {}) }),
  })
}

export function askPurge(filter) {
  return withPreview('Purge dead letters', filter, {
    danger: true,
    label: (sum) => sum ? `Purge ${count(sum.matching)} for good` : 'Purge',
    sentence: (sum) => `${count(sum.matching)} match and would be gone for good. Nothing is sent.`,
    extra: () => [],
    body: () => ({}),
  })
}

/** The task that runs, or the last one. */
export class Progress {
  #wasRunning = false

  constructor(context, onEnd) {
    this.context = context
    this.onEnd = onEnd
    this.text = h('p')
    this.bar = h('progress', { max: 1, value: 0, 'aria-label': 'Progress of the task' })
    this.stop = h('button', { type: 'button', onclick: () => post('dead/task/stop') }, 'Stop')
    this.element = h('section', { class: 'card', hidden: true, id: 'task', 'aria-label': 'Task' },
      h('div', { class: 'head' }, this.text, this.stop), this.bar)
  }

  async refresh(isFresh = false) {
    const { task } = await get('dead/task')
    if (isFresh) this.#wasRunning = true
    this.element.hidden = !task || (!task.running && !this.#wasRunning)
    if (!task) return
    const verb = task.kind === 'retry' ? ['Retrying', 'Retried'] : ['Purging', 'Purged']
    const parts = [`${verb[task.running ? 0 : 1]} ${count(task.done)}`]
    if (task.running) parts.push(`${count(task.scanned)} of ${count(task.total)} looked at`)
    if (task.expired) parts.push(`${count(task.expired)} have expired`)
    if (task.unusable) parts.push(`${count(task.unusable)} hold no whole event`)
    if (task.gone) parts.push(`${count(task.gone)} were taken by others`)
    if (task.error) parts.push(task.error)
    setText(this.text, parts.join(', '))
    this.bar.max = Math.max(1, task.total)
    this.bar.value = task.running ? task.scanned : this.bar.max
    this.bar.hidden = this.stop.hidden = !task.running
    this.stop.disabled = this.context.isReadOnly
    if (this.#wasRunning && !task.running && !this.ended) {
      this.ended = true
      announce(parts.join(', '))
      this.onEnd()
    }
    if (task.running) {
      this.#wasRunning = true
      this.ended = false
    }
  }
}

"""#

  static let dead_js = #"""
import { get, post } from './api.js'
import { h, Table, tag, setTag, setText, announce, openDialog, confirmDialog, field, select } from './dom.js'
import { ago, count, moment } from './format.js'
import { askRetry, askPurge, Progress } from './dead-tasks.js'

const ages = [['', 'any age'], ['10m', 'older than 10 min'], ['1h', 'older than 1 h'], ['1d', 'older than 1 d'], ['7d', 'older than 7 d']]

export const dead = {
  title: 'Dead letters',
  make(root, context, query) {
    const view = new DeadView(root, context, query)
    return { refresh: (isCurrent) => view.refresh(isCurrent) }
  },
}

class DeadView {
  #letters = []
  #next = null
  #wanted = true
  #isBusy = false

  constructor(root, context, query) {
    this.context = context
    this.filter = {
      queue: query.get('queue') ?? '', reason: query.get('reason') ?? '', app: query.get('app') ?? '',
      older: query.get('older') ?? '', text: query.get('text') ?? '',
    }
    this.summary = h('p', { class: 'quiet', role: 'status' })
    this.form = h('form', { class: 'filters card', role: 'search', 'aria-label': 'Filter', onsubmit: (event) => event.preventDefault() })
    this.table = new Table('Dead letters, newest first', this.#columns(), { key: (row) => row.key, empty: 'No dead letter matches.' })
    this.more = h('button', { type: 'button', hidden: true, onclick: () => this.#load(true) }, 'Show more')
    this.progress = new Progress(context, () => this.#reload())
    this.retry = h('button', { type: 'button', class: 'main', id: 'retry', onclick: () => this.#run(askRetry) }, 'Retry matching …')
    this.purge = h('button', { type: 'button', class: 'danger', id: 'purge', onclick: () => this.#run(askPurge) }, 'Purge matching …')
    this.renew = h('button', { type: 'button', onclick: () => this.#reload() }, 'Refresh')
    root.append(
      h('div', { class: 'head' }, h('h2', null, 'Dead letters'), this.summary,
        h('div', { class: 'row' }, this.renew, this.retry, this.purge)),
      this.progress.element, this.form,
      h('section', { class: 'card' }, this.table.element, h('div', { class: 'row' }, this.more)))
  }

  #columns() {
    return [
      {
        title: 'Event', kind: 'name',
        make: (row, now) => h('button', { type: 'button', class: 'link mono', onclick: () => this.#detail(now()) }),
        update: (cell, row) => { setText(cell, row.id || 'no id') },
      },
      { title: 'Died', cell: (row) => ago(row.deadAt) },
      { title: 'Reason', make: () => tag('', 'bad'), update: (cell, row) => setTag(cell, row.reason, 'bad') },
      { title: 'App', cell: (row) => row.app ?? '–' },
      { title: 'Type', cell: (row) => row.type ?? '–' },
      { title: 'Provider', cell: (row) => row.provider ? `${row.provider} ${row.status ?? ''}` : '–' },
      { title: 'Detail', kind: 'wide', cell: (row) => [row.providerReason, row.detail].filter(Boolean).join(': ') || '–' },
    ]
  }

  #drawForm() {
    if (this.form.childElementCount) return
    const { queues, apps, reasons } = this.context.session
    this.filter.queue ||= queues[0]
    const change = (name) => (value) => { this.filter[name] = value; this.#reload() }
    const text = h('input', { type: 'search', value: this.filter.text, placeholder: 'event id, detail, any word' })
    let pause = 0
    text.addEventListener('input', () => {
      clearTimeout(pause)
      pause = setTimeout(() => change('text')(text.value), 300)
    })
    this.form.append(
      ...(queues.length > 1 ? [field('Queue', select(queues, this.filter.queue, change('queue')))] : []),
      field('Reason', select([['', 'any reason'], ...reasons], this.filter.reason, change('reason'))),
      field('App', select([['', 'any app'], ...apps], this.filter.app, change('app'))),
      field('Age', select(ages, this.filter.older, change('older'))),
      field('Text', text, 'grow'))
  }

  async refresh(isCurrent) {
    this.#drawForm()
    this.retry.disabled = this.purge.disabled = this.context.isReadOnly
    await this.progress.refresh()
    if (this.#wanted && isCurrent()) await this.#load(false)
  }

  #reload() {
    this.#wanted = true
    const shown = Object.entries(this.filter).filter(([name, value]) => value && (name !== 'queue' || this.context.session.queues.length > 1))
    history.replaceState(null, '', `#/dead${shown.length ? `?${new URLSearchParams(shown)}` : ''}`)
    if (!this.#isBusy) this.#load(false).catch((error) => setText(this.summary, error.message))
  }

  /** Scans from the newest until a page is full; the server looks at so many letters a call. */
  async #load(isMore) {
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      do {
        this.#wanted = false
        if (!isMore) [this.#letters, this.#next] = [[], null]
        await this.#page(50)
        isMore = false
      } while (this.#wanted)
    } finally { this.#isBusy = false }
  }

  async #page(size) {
    let scanned = 0
    let found = 0
    do {
      const answer = await get('dead', { ...this.filter, limit: size - found, before: this.#next ?? '' })
      if (this.#wanted) return
      scanned += answer.scanned
      found += answer.letters.length
      this.#letters.push(...answer.letters)
      this.#next = answer.next
      this.table.show(this.#letters)
      this.context.badge('dead', answer.count)
      setText(this.summary, this.#sentence(answer.count, this.#next !== null && found < size ? scanned : 0))
    } while (this.#next !== null && found < size)
    this.more.hidden = this.#next === null
  }

  #sentence(total, scanned) {
    if (scanned) return `looking: ${count(scanned)} of ${count(total)} letters …`
    const shown = count(this.#letters.length)
    return this.#next === null ? `${shown} shown, all that match, of ${count(total)}` : `the newest ${shown} that match, of ${count(total)}`
  }

  async #run(ask) {
    if (await ask(this.filter)) await this.progress.refresh(true)
  }

  async #detail(row) {
    const { queue } = this.filter
    const where = { queue, position: row.position, key: row.key }
    let answer
    try {
      answer = await get('dead/letter', where)
    } catch (error) {
      announce(error.message)
      setText(this.summary, error.message)
      return
    }
    const act = async (close, path, body, said) => {
      const { done } = await post(path, { ...where, ...body })
      announce(done ? said : 'nothing was done: it has expired, or others have taken it')
      close()
      this.#reload()
    }
    const facts = [
      ['Event', row.id], ['Reason', row.reason], ['Detail', row.detail], ['Provider', row.provider],
      ['Answer', [row.status, row.providerReason].filter(Boolean).join(' ')], ['App', row.app], ['Type', row.type],
      ['Attempts', row.attempts], ['Taken', moment(row.takenAt)], ['Died', moment(row.deadAt)],
      ['Worker', row.worker], ['Retried before', row.replays || ''],
    ].filter(([, value]) => value)
    await openDialog('Dead letter', (heading, close) => h('div', { class: 'inside' },
      heading,
      h('dl', { class: 'facts' }, ...facts.flatMap(([name, value]) => [h('dt', null, name), h('dd', null, String(value))])),
      answer.hasExpired ? h('p', { class: 'notice' }, 'It has expired: a retry needs a new lifetime.') : null,
      h('h3', null, 'What it becomes'),
      h('pre', { tabIndex: 0, 'aria-label': 'What it becomes' }, answer.explained ?? 'The letter holds no whole event.'),
      h('h3', null, 'The letter'),
      h('pre', { tabIndex: 0, 'aria-label': 'The letter' }, answer.letter),
      h('div', { class: 'foot' },
        h('button', {
          type: 'button', class: 'danger', disabled: this.context.isReadOnly,
          onclick: async () => {
            if (await confirmDialog('Purge this letter?', 'It is gone for good.', 'Purge')) await act(close, 'dead/purge', {}, 'purged')
          },
        }, 'Purge'),
        answer.hasExpired
          ? h('button', {
            type: 'button', disabled: this.context.isReadOnly || !answer.explained,
            onclick: () => act(close, 'dead/retry', { ttl: 3600 }, 'sent again, with an hour to live'),
          }, 'Retry with 1 h to live')
          : h('button', {
            type: 'button', class: 'main', id: 'retry-one', disabled: this.context.isReadOnly || !answer.explained,
            onclick: () => act(close, 'dead/retry', {}, 'sent again'),
          }, 'Retry'),
        h('button', { type: 'button', onclick: () => close() }, 'Close'))), { small: false })
  }
}

"""#

  static let dom_js = #"""
// Small helpers around the DOM. Text goes in as text nodes only: nothing here reads HTML.

/** An element; `props` are properties, `class`, `data-*`, `aria-*` and `on…` handlers. */
export function h(tag, props, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name === 'class') element.className = value
    else if (name in element && !name.includes('-')) element[name] = value
    else element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined))
  return element
}

export function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/** Changes text only when it differs, so that selections and screen readers are left in peace. */
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = text
}

/** Says something to screen readers, once. */
export function announce(text) {
  setText(document.getElementById('announce'), text)
}

/**
 * A table whose rows stay the same elements while their figures change, so that the focus stays
 * where it is. `columns`: {title, cell(row) -> text or element, kind: 'n' | 'wide' | 'act'}; a cell
 * that gives an element is made once for each row, by `make(row, current)`, and then updated by
 * `update(element, row)`.
 */
export class Table {
  #rows = new Map()

  constructor(caption, columns, { key, empty, stack = true } = {}) {
    this.columns = columns
    this.key = key
    this.body = h('tbody')
    this.empty = h('p', { class: 'empty', hidden: true }, empty ?? 'Nothing here.')
    const head = columns.map((column) =>
      h('th', { scope: 'col', class: column.kind ?? '' },
        column.kind === 'act' ? h('span', { class: 'unseen' }, column.title) : column.title))
    this.table = h('table', { class: stack ? 'stack' : '' },
      h('caption', { class: 'unseen' }, caption), h('thead', null, h('tr', null, ...head)), this.body)
    this.element = h('div', null, h('div', { class: 'scroll' }, this.table), this.empty)
  }

  show(rows) {
    const keys = new Set()
    let place = this.body.firstElementChild
    for (const row of rows) {
      const key = this.key(row)
      keys.add(key)
      let entry = this.#rows.get(key)
      if (!entry) this.#rows.set(key, (entry = this.#make(row)))
      entry.row = row
      this.#update(entry)
      if (entry.element !== place) this.body.insertBefore(entry.element, place)
      else place = place.nextElementSibling
    }
    for (const [key, entry] of this.#rows) {
      if (keys.has(key)) continue
      entry.element.remove()
      this.#rows.delete(key)
    }
    this.empty.hidden = rows.length > 0
    this.table.hidden = rows.length === 0
  }

  #make(row) {
    const entry = { row }
    entry.cells = this.columns.map((column) => {
      const cell = h('td', { class: column.kind ?? '', 'data-title': column.title })
      if (column.make) cell.append(column.make(row, () => entry.row))
      return cell
    })
    entry.element = h('tr', null, ...entry.cells)
    return entry
  }

  #update(entry) {
    this.columns.forEach((column, index) => {
      const cell = entry.cells[index]
      if (!column.make) setText(cell, column.cell(entry.row))
      else column.update?.(cell.firstElementChild, entry.row)
    })
  }
}

/** A modal dialog; resolves with what `close` is given, undefined for Escape. */
export function openDialog(title, build, { small = true } = {}) {
  return new Promise((resolve) => {
    const before = document.activeElement
    let result
    const close = (value) => {
      result = value
      dialog.close()
    }
    // A long dialog begins at its head, not at the first button below.
    const heading = h('h2', { id: 'dialog-title', tabIndex: -1, autofocus: !small }, title)
    const dialog = h('dialog', { class: small ? 'small' : '', 'aria-labelledby': 'dialog-title' })
    dialog.append(build(heading, close))
    dialog.addEventListener('close', () => {
      dialog.remove()
      before?.focus?.()
      resolve(result)
    })
    document.body.append(dialog)
    dialog.showModal()
  })
}

/** Asks before something that cannot be undone. */
export function confirmDialog(title, text, label, { danger = true } = {}) {
  return openDialog(title, (heading, close) =>
    h('form', { onsubmit: (event) => { event.preventDefault(); close(true) } },
      heading, h('p', null, text),
      h('div', { class: 'foot' },
        h('button', { type: 'button', onclick: () => close(false), autofocus: true }, 'Cancel'),
        h('button', { type: 'submit', class: danger ? 'danger' : 'main' }, label))))
}

export function field(label, control, kind = '') {
  return h('label', { class: `field ${kind}` }, label, control)
}

/** `options`: texts, or pairs of value and text. */
export function select(options, value, onchange) {
  const element = h('select', { onchange: () => onchange?.(element.value) },
    ...options.map((option) => {
      const [key, text] = Array.isArray(option) ? option : [option, option]
      return h('option', { value: key }, text)
    }))
  element.value = value
  return element
}

export function tag(text, tone) {
  return h('span', { class: 'tag', 'data-tone': tone ?? '' }, text)
}

export function setTag(element, text, tone) {
  setText(element, text)
  if (element.dataset.tone !== (tone ?? '')) element.dataset.tone = tone ?? ''
}

"""#

  static let format_js = #"""
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

"""#

  static let icon_svg = #"""
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="8" fill="#3457d5"/>
  <path d="M16 6a6.5 6.5 0 0 0-6.5 6.5v4L7.6 20a1 1 0 0 0 .9 1.5h15a1 1 0 0 0 .9-1.5l-1.9-3.5v-4A6.5 6.5 0 0 0 16 6Z" fill="#fff"/>
  <path d="M13 23.5a3 3 0 0 0 6 0Z" fill="#fff"/>
</svg>

"""#

  static let index_html = #"""
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Allim</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="referrer" content="no-referrer" />
    <link rel="icon" href="/page/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/page/page.css" />
    <script type="module" src="/page/app.js"></script>
  </head>
  <body>
    <button type="button" class="skip" id="skip">Skip to the content</button>
    <header class="top">
      <div class="brand">
        <img src="/page/icon.svg" alt="" width="26" height="26" />
        <h1>Allim</h1>
        <span id="instance" class="quiet"></span>
      </div>
      <nav id="nav" aria-label="Sections"></nav>
      <p id="state" class="state" data-state="starting">connecting …</p>
    </header>
    <main id="main" tabindex="-1" aria-label="Content"></main>
    <p id="announce" class="unseen" role="status"></p>
    <p id="problem" class="toast" role="alert" hidden></p>
    <noscript><p class="empty">This page needs JavaScript. `allim stats` shows the same figures.</p></noscript>
  </body>
</html>

"""#

  static let overview_js = #"""
import { get } from './api.js'
import { Chart, figure } from './charts.js'
import { h, setText } from './dom.js'
import { rate, seconds, short } from './format.js'

const outcomes = [
  ['accepted', 'accepted', 0], ['invalidToken', 'invalid token', 1], ['dead', 'dead', 2],
  ['expired', 'expired', 3], ['cancelled', 'cancelled', 4],
]
const historyPeriod = 10000

export const overview = {
  title: 'Overview',
  make(root, context) {
    const figures = {
      rate: figure('pushes a second'), ready: figure('ready', '#/queues'),
      delayed: figure('delayed', '#/queues'), flight: figure('in flight', '#/queues'),
      parked: figure('parked', '#/apps'), age: figure('oldest age', '#/queues'),
      busy: figure('workers busy', '#/workers'), dead: figure('dead letters', '#/dead'),
    }
    const charts = {
      rate: new Chart('Pushes by outcome', { stacked: true, format: rate }),
      age: new Chart('Age in the queue', { format: seconds }),
      send: new Chart('Time of a send', { format: seconds }),
      dead: new Chart('Dead letters by reason', { stacked: true, isWhole: true, format: (value) => short(value) }),
    }
    const notice = h('p', { class: 'notice', hidden: true })
    const scope = h('p', { class: 'quiet' })
    root.append(
      h('div', { class: 'head' }, h('h2', null, 'Overview'), scope), notice,
      h('div', { class: 'cards' }, ...Object.values(figures).map((one) => one.element)),
      h('div', { class: 'charts' }, ...Object.values(charts).map((one) => one.element)))
    let nextHistory = 0

    return {
      async refresh(isCurrent) {
        const wantsHistory = Date.now() >= nextHistory
        const [{ queues }, { workers }, history] = await Promise.all([
          get('queues'), get('workers'), wantsHistory ? get('history') : null,
        ])
        if (!isCurrent()) return
        showFigures(figures, queues, workers, context)
        showPaused(notice, queues)
        if (!history) return
        nextHistory = Date.now() + historyPeriod
        setText(scope, 'charts and pushes are those of this process')
        showHistory(charts, figures, history)
      },
    }
  },
}

function showFigures(figures, queues, workers, context) {
  const sum = (name) => queues.reduce((total, queue) => total + queue[name], 0)
  const oldest = Math.max(...queues.map((queue) => queue.oldestAgeSeconds ?? 0))
  const busy = workers.reduce((total, worker) => total + worker.busy, 0)
  const capacity = workers.reduce((total, worker) => total + worker.capacity, 0)
  figures.ready.set(short(sum('ready')))
  figures.delayed.set(short(sum('delayed')))
  figures.flight.set(short(sum('inFlight')))
  figures.parked.set(short(sum('parked')), sum('parked') ? 'warn' : '')
  figures.age.set(seconds(oldest), oldest > 60 ? 'bad' : oldest > 10 ? 'warn' : '')
  figures.busy.set(`${short(busy)} of ${short(capacity)}`, capacity ? '' : 'bad')
  figures.dead.set(short(sum('dead')), sum('dead') ? 'warn' : '')
  context.badge('dead', sum('dead'))
  context.badge('tokens', sum('invalidHeld'))
}

function showPaused(notice, queues) {
  const paused = queues.filter((queue) => queue.paused).map((queue) => queue.queue)
  const apps = [...new Set(queues.flatMap((queue) => queue.pausedApps))]
  const parts = []
  if (paused.length) parts.push(`Taking is paused: ${paused.join(', ')}.`)
  if (apps.length) parts.push(`Sending is paused for ${apps.join(', ')}.`)
  setText(notice, parts.join(' '))
  notice.hidden = !parts.length
}

function showHistory(charts, figures, history) {
  const { at } = history
  charts.rate.show(at, outcomes.map(([key, name, kind]) => ({ name, kind, values: history.perSecond[key] })))
  charts.age.show(at, [
    { name: 'oldest', kind: 3, values: history.oldestAge }, { name: '99 of 100', kind: 1, values: history.queueAge.p99 },
    { name: 'median', kind: 5, values: history.queueAge.p50 },
  ])
  charts.send.show(at, [
    { name: '99 of 100', kind: 1, values: history.sendTime.p99 }, { name: 'median', kind: 5, values: history.sendTime.p50 },
  ])
  const reasons = Object.entries(history.deadByReason)
  charts.dead.show(at, reasons.map(([name, values], index) => ({ name, kind: (index + 2) % 8, values })))
  const last = outcomes.reduce((sum, [key]) => sum + (history.perSecond[key].at(-1) ?? 0), 0)
  figures.rate.set(at.length ? short(last) : '–')
}

"""#

  static let page_css = #"""
:root {
  color-scheme: light dark;
  --ground: #f6f7f9;
  --card: #ffffff;
  --line: #dfe3e8;
  --text: #1c2330;
  --quiet: #5b6575;
  --accent: #3457d5;
  --accent-text: #ffffff;
  --good: #1d7f4e;
  --warn: #9a5b00;
  --bad: #c0292f;
  --warn-ground: #fdf3e1;
  --bad-ground: #fdecec;
  --c0: #2f9e68;
  --c1: #7a5af0;
  --c2: #d9434a;
  --c3: #d08a10;
  --c4: #7c8796;
  --c5: #2b7fc4;
  --c6: #b8479e;
  --c7: #4b8f8c;
  font: 15px/1.45 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161d;
    --card: #1a202a;
    --line: #2e3745;
    --text: #e6eaf1;
    --quiet: #9aa6b8;
    --accent: #8aa4ff;
    --accent-text: #0e1422;
    --good: #57c98e;
    --warn: #eab04e;
    --bad: #ff8086;
    --warn-ground: #2c2415;
    --bad-ground: #321a1d;
    --c0: #4cbf86;
    --c1: #9c83ff;
    --c2: #ff7178;
    --c3: #e9ad43;
    --c4: #8e9aac;
    --c5: #59a8e8;
    --c6: #dd7cc6;
    --c7: #6fb7b3;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); }
h1, h2, h3, p { margin: 0; }
h1 { font-size: 1.15rem; }
h2 { font-size: 1.3rem; }
h3 { font-size: 0.95rem; }
a { color: var(--accent); }
code, pre, .mono { font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, monospace; font-size: 0.87em; }
.quiet { color: var(--quiet); }
.unseen, .skip:not(:focus) {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; border: 0; padding: 0;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
.skip:focus { position: fixed; z-index: 9; top: 8px; left: 8px; }

.top {
  display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; padding: 10px 24px 0;
  background: var(--card); border-bottom: 1px solid var(--line);
}
.brand { display: flex; align-items: center; gap: 9px; min-width: 0; padding-bottom: 8px; }
.brand img { display: block; }
#instance { font-size: 0.85rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
nav { display: flex; gap: 2px; overflow-x: auto; align-self: end; scrollbar-width: none; }
nav a {
  padding: 8px 12px 10px; color: var(--quiet); text-decoration: none; white-space: nowrap;
  border-bottom: 3px solid transparent; outline-offset: -3px;
}
nav a:hover { color: var(--text); }
nav a[aria-current] { color: var(--text); font-weight: 600; border-bottom-color: var(--accent); }
nav .count { margin-left: 6px; padding: 0 7px; border-radius: 9px; background: var(--line); font-size: 0.78rem; font-weight: 500; }
.state { margin-left: auto; padding-bottom: 8px; font-size: 0.85rem; color: var(--quiet); white-space: nowrap; }
.state::before { content: "●"; margin-right: 6px; color: var(--quiet); }
.state[data-state="live"]::before { color: var(--good); }
.state[data-state="lost"] { color: var(--bad); }
.state[data-state="lost"]::before { color: var(--bad); }

main { max-width: 1240px; margin: 0 auto; padding: 22px 24px 60px; display: grid; gap: 18px; grid-template-columns: minmax(0, 1fr); }
.head { display: flex; flex-wrap: wrap; align-items: center; gap: 10px 14px; }
.head > :last-child:not(:first-child) { margin-left: auto; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; min-width: 0; }
.cards { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(122px, 1fr)); }
.figure { display: grid; gap: 2px; align-content: start; color: inherit; text-decoration: none; }
a.figure:hover { border-color: var(--accent); }
.figure b { font-size: 1.55rem; font-weight: 600; line-height: 1.2; font-variant-numeric: tabular-nums; }
.figure span { color: var(--quiet); font-size: 0.85rem; }
.figure[data-tone="bad"] b { color: var(--bad); }
.figure[data-tone="warn"] b { color: var(--warn); }
.notice { padding: 10px 14px; border-radius: 8px; border: 1px solid var(--line); background: var(--warn-ground); color: var(--text); }
.notice[data-tone="bad"] { background: var(--bad-ground); }
.notice[hidden] { display: none; }

.charts { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); }
.chart { display: grid; gap: 8px; }
.chart .plot { position: relative; height: 132px; margin-left: 44px; }
.chart svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.chart .grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.chart .hair { stroke: var(--quiet); stroke-width: 1; vector-effect: non-scaling-stroke; }
.chart .trace { fill: none; stroke-width: 1.75; vector-effect: non-scaling-stroke; stroke-linejoin: round; stroke-linecap: round; }
.chart .area { stroke: none; opacity: 0.82; }
.chart .y { position: absolute; right: 100%; margin-right: 8px; transform: translateY(-50%); font-size: 0.74rem; color: var(--quiet); white-space: nowrap; font-variant-numeric: tabular-nums; }
.chart .x { display: flex; justify-content: space-between; margin-left: 44px; font-size: 0.74rem; color: var(--quiet); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 0; padding: 0; list-style: none; font-size: 0.82rem; min-height: 1.3em; }
.legend i { display: inline-block; width: 9px; height: 9px; margin-right: 6px; border-radius: 2px; }
.legend b { font-weight: 600; font-variant-numeric: tabular-nums; }
.k0 { --k: var(--c0); } .k1 { --k: var(--c1); } .k2 { --k: var(--c2); } .k3 { --k: var(--c3); }
.k4 { --k: var(--c4); } .k5 { --k: var(--c5); } .k6 { --k: var(--c6); } .k7 { --k: var(--c7); }
i.k { background: var(--k); } path.area { fill: var(--k); } path.trace { stroke: var(--k); }

.scroll { overflow-x: auto; margin: 0 -16px; padding: 0 16px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: 8px; }
th { text-align: left; font-weight: 500; font-size: 0.82rem; color: var(--quiet); white-space: nowrap; }
th, td { padding: 8px 12px 8px 0; border-bottom: 1px solid var(--line); vertical-align: baseline; }
tr:last-child td { border-bottom: 0; }
th.n, td.n { text-align: right; }
td.wide { min-width: 180px; overflow-wrap: anywhere; }
td.name { min-width: 110px; overflow-wrap: anywhere; }
td.n + td:not(.n), th.n + th:not(.n) { padding-left: 20px; }
td.act { text-align: right; white-space: nowrap; padding-right: 0; }
.empty { padding: 26px 8px; text-align: center; color: var(--quiet); }
.tag { display: inline-block; padding: 1px 8px; border-radius: 9px; background: var(--line); font-size: 0.8rem; white-space: nowrap; }
.tag[data-tone="good"] { background: color-mix(in srgb, var(--good) 17%, transparent); color: var(--good); }
.tag[data-tone="warn"] { background: color-mix(in srgb, var(--warn) 17%, transparent); color: var(--warn); }
.tag[data-tone="bad"] { background: color-mix(in srgb, var(--bad) 15%, transparent); color: var(--bad); }

button, select, input {
  font: inherit; color: inherit; min-height: 34px; padding: 4px 11px; border-radius: 7px;
  border: 1px solid var(--line); background: var(--card);
}
button { cursor: pointer; white-space: nowrap; }
button:hover:not(:disabled) { border-color: var(--accent); }
button:disabled { opacity: 0.5; cursor: default; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
button.danger { color: var(--bad); border-color: currentcolor; }
button.link { border: 0; background: none; padding: 0; min-height: 0; color: var(--accent); text-align: left; white-space: normal; overflow-wrap: anywhere; }
button.link:hover { text-decoration: underline; }
input[type="number"] { width: 7.5em; }
label.field { display: grid; gap: 3px; font-size: 0.82rem; color: var(--quiet); }
label.field > * { font-size: 0.95rem; color: var(--text); }
.filters { display: flex; flex-wrap: wrap; gap: 10px; align-items: end; }
.filters .grow { flex: 1 1 180px; }
.filters .grow input { width: 100%; }
progress { width: 100%; height: 10px; accent-color: var(--accent); }

.toast {
  position: fixed; z-index: 9; left: 50%; bottom: 22px; transform: translateX(-50%); max-width: calc(100vw - 28px);
  padding: 10px 16px; border-radius: 9px; border: 1px solid var(--bad); background: var(--bad-ground);
}
.toast[hidden] { display: none; }

dialog {
  width: min(760px, calc(100vw - 24px)); max-height: calc(100dvh - 32px); padding: 0; overflow: auto;
  border: 1px solid var(--line); border-radius: 12px; background: var(--card); color: var(--text);
}
dialog.small { width: min(460px, calc(100vw - 24px)); }
dialog::backdrop { background: rgb(10 14 22 / 55%); }
dialog form, dialog .inside { display: grid; gap: 14px; padding: 18px 20px 20px; grid-template-columns: minmax(0, 1fr); }
dialog:not(.small) .foot { position: sticky; bottom: 0; margin: 0 -20px -20px; padding: 12px 20px; background: var(--card); border-top: 1px solid var(--line); }
dialog h2:focus { outline: none; }
dialog .foot { display: flex; flex-wrap: wrap; gap: 8px; justify-content: flex-end; }
dialog pre { margin: 0; padding: 12px; max-height: 38vh; overflow: auto; border-radius: 8px; background: var(--ground); border: 1px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 16px; margin: 0; }
dl.facts dt { color: var(--quiet); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }

@media (max-width: 640px) {
  .top { padding: 8px 14px 0; }
  .state { padding-bottom: 4px; }
  .brand { padding-bottom: 4px; flex: 1 1 0; }
  nav { order: 3; width: 100%; margin: 0 -14px; padding: 0 8px; width: calc(100% + 28px); }
  nav a { padding: 8px 9px 9px; }
  main { padding: 16px 14px 50px; gap: 14px; }
  .cards { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px; }
  .card { padding: 11px 12px; }
  .scroll { margin: 0 -12px; padding: 0 12px; }
  .filters label.field { flex: 1 1 40%; }
  .filters select, .filters input { width: 100%; }
  table.stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.stack, table.stack tbody { display: block; }
  table.stack tr { display: grid; gap: 3px; padding: 10px 0; border-bottom: 1px solid var(--line); }
  table.stack tr:last-child { border-bottom: 0; }
  table.stack td { display: flex; justify-content: space-between; gap: 14px; padding: 0; border: 0; text-align: right; min-width: 0; padding-left: 0 !important; }
  table.stack td::before { content: attr(data-title); color: var(--quiet); font-size: 0.85rem; text-align: left; white-space: nowrap; }
  table.stack td.act { justify-content: flex-end; padding-top: 4px; }
  table.stack td.act::before { content: none; }
  table.stack button.link { text-align: right; }
}
@media (prefers-reduced-motion: no-preference) {
  button, a.figure { transition: border-color 0.12s; }
}

"""#

  static let queues_js = #"""
import { get, post } from './api.js'
import { h, Table, tag, setTag, setText, announce, confirmDialog } from './dom.js'
import { count, seconds } from './format.js'

export const queues = {
  title: 'Queues',
  make(root, context) {
    const table = new Table('Queues', [
      { title: 'Queue', kind: 'wide', make: () => h('span', { class: 'mono' }), update: (cell, row) => setText(cell, row.queue) },
      {
        title: 'State', make: () => tag('', ''),
        update: (cell, row) => setTag(cell, row.paused ? 'paused' : 'running', row.paused ? 'warn' : 'good'),
      },
      { title: 'Ready', kind: 'n', cell: (row) => count(row.ready) },
      { title: 'Delayed', kind: 'n', cell: (row) => count(row.delayed) },
      { title: 'In flight', kind: 'n', cell: (row) => count(row.inFlight) },
      { title: 'Parked', kind: 'n', cell: (row) => count(row.parked) },
      { title: 'Suspects', kind: 'n', cell: (row) => count(row.suspects) },
      { title: 'Dead', kind: 'n', cell: (row) => count(row.dead) },
      { title: 'Oldest', kind: 'n', cell: (row) => seconds(row.oldestAgeSeconds) },
      {
        title: 'Action', kind: 'act',
        make: (row, now) => h('button', { type: 'button', disabled: context.isReadOnly, onclick: () => toggle(now(), context) }),
        update: (cell, row) => {
          setText(cell, row.paused ? 'Resume' : 'Pause')
          cell.setAttribute('aria-label', `${row.paused ? 'Resume' : 'Pause'} ${row.queue}`)
          cell.disabled = context.isReadOnly
        },
      },
    ], { key: (row) => row.queue })
    const all = h('button', { type: 'button', onclick: () => toggleAll(lastRows, context) }, 'Pause everything')
    let lastRows = []
    root.append(
      h('div', { class: 'head' }, h('h2', null, 'Queues'),
        h('p', { class: 'quiet' }, 'Pausing stops taking; pushes in progress end.'), all),
      h('section', { class: 'card' }, table.element))
    return {
      async refresh(isCurrent) {
        const { queues: rows } = await get('queues')
        if (!isCurrent()) return
        lastRows = rows
        table.show(rows)
        setText(all, rows.every((row) => row.paused) ? 'Resume everything' : 'Pause everything')
        all.disabled = context.isReadOnly
        context.badge('dead', rows.reduce((sum, row) => sum + row.dead, 0))
      },
    }
  },
}

async function toggle(row, context) {
  await post(row.paused ? 'resume' : 'pause', { queue: row.queue })
  announce(`${row.queue} is ${row.paused ? 'running' : 'paused'}`)
  context.refresh()
}

async function toggleAll(rows, context) {
  const isPaused = rows.every((row) => row.paused)
  if (!isPaused && !(await confirmDialog('Pause everything?',
    'No worker of the fleet takes from any queue until you resume.', 'Pause everything'))) return
  await post(isPaused ? 'resume' : 'pause')
  announce(isPaused ? 'everything is running' : 'everything is paused')
  context.refresh()
}

"""#

  static let tokens_js = #"""
import { get, post } from './api.js'
import { h, Table, setText, announce, confirmDialog, field, select } from './dom.js'
import { ago, count } from './format.js'

export const tokens = {
  title: 'Tokens',
  make(root, context) {
    const held = new TokenList('Held by the brake', 'held',
      'So many tokens were refused at once that a wrong setting is likelier than so many dead phones. They wait here for a decision.',
      'Nothing is held.', context)
    const invalid = new TokenList('Dead tokens', 'invalid',
      'For the chat servers, which take them from the list. They are shortened here.', 'No dead token waits.', context)
    const queue = { value: null }
    const choice = h('div')
    root.append(
      h('div', { class: 'head' }, h('h2', null, 'Tokens'), choice), held.element, invalid.element)
    return {
      async refresh(isCurrent) {
        const { queues } = context.session
        queue.value ??= queues[0]
        if (queues.length > 1 && !choice.childElementCount) {
          choice.append(field('Queue', select(queues, queue.value, (name) => { queue.value = name; context.refresh() })))
        }
        await Promise.all([held.refresh(queue.value, isCurrent), invalid.refresh(queue.value, isCurrent)])
        context.badge('tokens', held.count)
      },
    }
  },
}

class TokenList {
  count = 0
  #limit = 25

  constructor(title, list, note, empty, context) {
    this.list = list
    this.context = context
    this.table = new Table(title, [
      { title: 'Token', make: () => h('span', { class: 'mono' }), update: (cell, row) => setText(cell, row.token ?? '–') },
      { title: 'Kind', cell: (row) => row.kind ?? '–' },
      { title: 'App', cell: (row) => row.app ?? '–' },
      { title: 'Provider', cell: (row) => row.provider ?? '–' },
      { title: 'Reason', cell: (row) => row.reason ?? '–' },
      { title: 'User', cell: (row) => row.user ?? '–' },
      { title: 'Seen', cell: (row) => ago(row.observedAt) },
    ], { key: (row) => row.key, empty })
    this.heading = h('h3', null, title)
    this.title = title
    this.more = h('button', { type: 'button', hidden: true, onclick: () => { this.#limit = Math.min(100, this.#limit + 25); context.refresh() } }, 'Show more')
    this.actions = h('div', { class: 'row' })
    if (list === 'held') {
      this.release = h('button', { type: 'button', id: 'release', onclick: () => this.#decide('release') }, 'Release all …')
      this.drop = h('button', { type: 'button', class: 'danger', id: 'drop', onclick: () => this.#decide('drop') }, 'Drop all …')
      this.actions.append(this.release, this.drop)
    }
    this.element = h('section', { class: 'card', 'aria-label': title },
      h('div', { class: 'head' }, this.heading, this.actions), h('p', { class: 'quiet' }, note), this.table.element, this.more)
  }

  async refresh(queue, isCurrent) {
    const answer = await get('invalid', { queue, list: this.list, limit: this.#limit })
    if (!isCurrent()) return
    this.queue = queue
    this.count = answer.count
    setText(this.heading, `${this.title} (${count(answer.count)})`)
    this.table.show(answer.tokens.map((row, index) => ({ ...row, key: `${index} ${row.token} ${row.observedAt}` })))
    this.more.hidden = answer.tokens.length >= answer.count || this.#limit >= 100
    if (this.release) this.release.disabled = this.drop.disabled = this.context.isReadOnly || !answer.count
  }

  async #decide(what) {
    const text = what === 'release'
      ? `${count(this.count)} tokens go to the feedback list: the chat servers remove them from their users.`
      : `${count(this.count)} tokens are forgotten: their phones go on getting pushes.`
    const label = what === 'release' ? 'Release them' : 'Drop them'
    if (!(await confirmDialog(`${label}?`, text, label))) return
    const { done } = await post(`invalid/${what}`, { queue: this.queue })
    announce(`${count(done)} tokens ${what === 'release' ? 'released' : 'dropped'}`)
    this.context.refresh()
  }
}

"""#

  static let workers_js = #"""
import { get, post } from './api.js'
import { h, Table, setText, announce, openDialog, field } from './dom.js'
import { count, seconds } from './format.js'

export const workers = {
  title: 'Workers',
  make(root, context) {
    const table = new Table('Live instances', [
      { title: 'Instance', kind: 'wide', make: () => h('span', { class: 'mono' }), update: (cell, row) => setText(cell, row.instance) },
      { title: 'Host', cell: (row) => row.host || '–' },
      { title: 'Version', cell: (row) => row.version || '–' },
      { title: 'Busy', kind: 'n', cell: (row) => `${count(row.busy)} of ${count(row.capacity)}` },
      { title: 'Lease left', kind: 'n', cell: (row) => seconds(Math.max(0, row.leaseLeftSeconds)) },
      { title: 'Admin address', cell: (row) => row.admin || '–' },
      {
        title: 'Action', kind: 'act',
        make: (row, now) => h('button', {
          type: 'button', 'aria-label': `Scale ${row.instance}`, onclick: () => scale(now(), context),
        }, 'Scale …'),
        update: (cell) => { cell.disabled = context.isReadOnly },
      },
    ], { key: (row) => row.instance, empty: 'No live instance: nothing is being sent.' })
    const summary = h('p', { class: 'quiet' })
    const fleet = h('button', { type: 'button', class: 'main', id: 'scale-fleet', onclick: () => scale(null, context) }, 'Scale the fleet …')
    root.append(
      h('div', { class: 'head' }, h('h2', null, 'Workers'), summary, fleet),
      h('section', { class: 'card' }, table.element))
    return {
      async refresh(isCurrent) {
        const { workers: rows, wanted } = await get('workers')
        if (!isCurrent()) return
        table.show(rows)
        const tasks = rows.reduce((sum, row) => sum + row.capacity, 0)
        const wish = wanted === null ? 'as configured' : wanted === 'auto' ? 'following the load' : `${wanted} wanted of each process`
        setText(summary, `${count(tasks)} worker tasks in ${rows.length === 1 ? 'one instance' : `${count(rows.length)} instances`}, ${wish}`)
        fleet.disabled = context.isReadOnly
      },
    }
  },
}

async function scale(row, context) {
  const whom = row ? `instance ${row.instance}` : 'every process'
  const number = h('input', { type: 'number', min: 1, max: 65536, step: 1, required: true, id: 'scale-number', value: row?.capacity ?? '', autofocus: true })
  const problem = h('p', { class: 'notice', 'data-tone': 'bad', role: 'alert', hidden: true })
  await openDialog('Worker tasks', (heading, close) => {
    const send = async (body) => {
      try {
        await post('scale', row ? { ...body, instance: row.instance } : body)
        announce(`${whom} is being scaled`)
        close(true)
        context.refresh()
      } catch (error) {
        problem.hidden = false
        problem.textContent = error.message
      }
    }
    return h('form', { onsubmit: (event) => { event.preventDefault(); send({ workers: Number(number.value) }) } },
      heading,
      h('p', null, `How many pushes may be in progress at once in ${whom}. It takes effect within one beat (3 s).`),
      field('Worker tasks', number), problem,
      h('div', { class: 'foot' },
        h('button', { type: 'button', onclick: () => close() }, 'Cancel'),
        h('button', { type: 'button', onclick: () => send({ workers: 'default' }) }, 'As configured'),
        row ? null : h('button', { type: 'button', onclick: () => send({ workers: 'auto' }) }, 'By load'),
        h('button', { type: 'submit', class: 'main' }, 'Scale')))
  })
}

"""#

  static let openapi_json = #"""
{
 "openapi": "3.1.0",
 "info": {
  "title": "Allim",
  "version": "1",
  "description": "What the command line offers, and what the page shows, over HTTP. Reading needs the token unless the worker listens on loopback; calls that change something need it everywhere, must be application/json, and are refused when they come from another site."
 },
 "servers": [
  {
   "url": "/api/v1"
  }
 ],
 "security": [
  {},
  {
   "token": []
  }
 ],
 "paths": {
  "/openapi.json": {
   "get": {
    "summary": "This description.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object"
        }
       }
      }
     },
     "400": {
      "description": "A parameter is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    }
   }
  },
  "/session": {
   "get": {
    "summary": "What this worker is and knows.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "version": {
           "type": "string"
          },
          "host": {
           "type": "string"
          },
          "redis": {
           "type": "string"
          },
          "readOnly": {
           "type": "boolean"
          },
          "authorized": {
           "type": "boolean"
          },
          "queues": {
           "type": "array",
           "items": {
            "type": "string"
           }
          },
          "apps": {
           "type": "array",
           "items": {
            "type": "string"
           }
          },
          "reasons": {
           "type": "array",
           "items": {
            "type": "string"
           }
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A parameter is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    }
   }
  },
  "/stats": {
   "get": {
    "summary": "Figures of a queue, as `allim stats --json`.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Stats"
        }
       }
      }
     },
     "400": {
      "description": "A parameter is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "parameters": [
     {
      "name": "queue",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string"
      },
      "description": "A queue that this worker serves; default: the first."
     }
    ]
   }
  },
  "/queues": {
   "get": {
    "summary": "Figures of every queue.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "queues": {
           "type": "array",
           "items": {
            "$ref": "#/components/schemas/Stats"
           }
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A parameter is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    }
   }
  },
  "/workers": {
   "get": {
    "summary": "Live instances, as `allim workers --json`.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "queue": {
           "type": "string"
          },
          "workers": {
           "type": "array",
           "items": {
            "type": "object",
            "properties": {
             "instance": {
              "type": "string"
             },
             "leaseLeftSeconds": {
              "type": "number"
             },
             "busy": {
              "type": "integer"
             },
             "capacity": {
              "type": "integer"
             },
             "host": {
              "type": "string"
             },
             "version": {
              "type": "string"
             },
             "admin": {
              "type": "string"
             }
            }
           }
          },
          "wanted": {
           "type": [
            "integer",
            "string",
            "null"
           ]
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A parameter is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "parameters": [
     {
      "name": "queue",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string"
      },
      "description": "A queue that this worker serves; default: the first."
     }
    ]
   }
  },
  "/apps": {
   "get": {
    "summary": "Apps and credentials.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "credentials": {
           "type": "array",
           "items": {
            "type": "object",
            "properties": {
             "app": {
              "type": "string"
             },
             "provider": {
              "type": "string",
              "enum": [
               "apns",
               "fcm"
              ]
             },
             "environment": {
              "type": [
               "string",
               "null"
              ]
             },
             "ready": {
              "type": "integer"
             },
             "opening": {
              "type": "integer"
             },
             "draining": {
              "type": "integer"
             },
             "connectionsMax": {
              "type": "integer"
             },
             "streams": {
              "type": "integer"
             },
             "gate": {
              "type": "string",
              "enum": [
               "open",
               "limited",
               "shut"
              ]
             },
             "breakerOpen": {
              "type": "boolean"
             },
             "brake": {
              "type": "boolean"
             },
             "parked": {
              "type": "integer"
             },
             "expiresAt": {
              "type": [
               "integer",
               "null"
              ]
             }
            }
           }
          },
          "apps": {
           "type": "array",
           "items": {
            "type": "object",
            "properties": {
             "app": {
              "type": "string"
             },
             "paused": {
              "type": "boolean"
             }
            }
           }
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A parameter is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "description": "Connections, breakers and brakes are those of this process; parked items those of all."
   }
  },
  "/history": {
   "get": {
    "summary": "The last hour of this process, a point each ten seconds.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "interval": {
           "type": "integer"
          },
          "at": {
           "type": "array",
           "items": {
            "type": "integer"
           }
          },
          "perSecond": {
           "type": "object",
           "properties": {
            "accepted": {
             "type": "array",
             "items": {
              "type": "number"
             }
            },
            "invalidToken": {
             "type": "array",
             "items": {
              "type": "number"
             }
            },
            "dead": {
             "type": "array",
             "items": {
              "type": "number"
             }
            },
            "expired": {
             "type": "array",
             "items": {
              "type": "number"
             }
            },
            "cancelled": {
             "type": "array",
             "items": {
              "type": "number"
             }
            }
           }
          },
          "oldestAge": {
           "type": "array",
           "items": {
            "type": "number"
           }
          },
          "queueAge": {
           "type": "object",
           "properties": {
            "p50": {
             "type": "array",
             "items": {
              "type": [
               "number",
               "null"
              ]
             }
            },
            "p99": {
             "type": "array",
             "items": {
              "type": [
               "number",
               "null"
              ]
             }
            }
           }
          },
          "sendTime": {
           "type": "object",
           "properties": {
            "p50": {
             "type": "array",
             "items": {
              "type": [
               "number",
               "null"
              ]
             }
            },
            "p99": {
             "type": "array",
             "items": {
              "type": [
               "number",
               "null"
              ]
             }
            }
           }
          },
          "deadByReason": {
           "type": "object",
           "additionalProperties": {
            "type": "array",
            "items": {
             "type": "integer"
            }
           }
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A parameter is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    }
   }
  },
  "/dead": {
   "get": {
    "summary": "Dead letters without their events, the newest first.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "queue": {
           "type": "string"
          },
          "count": {
           "type": "integer"
          },
          "letters": {
           "type": "array",
           "items": {
            "$ref": "#/components/schemas/LetterRow"
           }
          },
          "scanned": {
           "type": "integer"
          },
          "next": {
           "type": [
            "integer",
            "null"
           ]
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A parameter is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "parameters": [
     {
      "name": "queue",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string"
      },
      "description": "A queue that this worker serves; default: the first."
     },
     {
      "name": "reason",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string",
       "enum": [
        "invalid_json",
        "invalid_event",
        "unsupported_version",
        "unknown_type",
        "unknown_app",
        "no_credential",
        "no_targets",
        "payload_too_large",
        "item_too_large",
        "rejected",
        "attempts_exhausted",
        "expired",
        "poison"
       ]
      },
      "description": "Letters of this reason alone."
     },
     {
      "name": "app",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string"
      },
      "description": "Letters of this app alone."
     },
     {
      "name": "older",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string",
       "pattern": "^[0-9]+(ms|s|m|h|d)$"
      },
      "description": "Letters older than this, such as 1h."
     },
     {
      "name": "text",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string"
      },
      "description": "Letters that hold this text; letters of ASCII in either case."
     },
     {
      "name": "limit",
      "in": "query",
      "required": false,
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 100,
       "default": 50
      },
      "description": "At most so many."
     },
     {
      "name": "before",
      "in": "query",
      "required": false,
      "schema": {
       "type": "integer",
       "minimum": 0
      },
      "description": "Only letters in front of this position: `next` of the page before."
     }
    ],
    "description": "A call looks at 2,000 letters at most: a page may be short or empty although `next` says that there are more."
   }
  },
  "/dead/preview": {
   "get": {
    "summary": "Counts what a retry or a purge would do, a part of the list a call.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "queue": {
           "type": "string"
          },
          "count": {
           "type": "integer"
          },
          "scanned": {
           "type": "integer"
          },
          "matching": {
           "type": "integer"
          },
          "retriable": {
           "type": "integer"
          },
          "expired": {
           "type": "integer"
          },
          "unusable": {
           "type": "integer"
          },
          "next": {
           "type": [
            "integer",
            "null"
           ]
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A parameter is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "parameters": [
     {
      "name": "queue",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string"
      },
      "description": "A queue that this worker serves; default: the first."
     },
     {
      "name": "reason",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string",
       "enum": [
        "invalid_json",
        "invalid_event",
        "unsupported_version",
        "unknown_type",
        "unknown_app",
        "no_credential",
        "no_targets",
        "payload_too_large",
        "item_too_large",
        "rejected",
        "attempts_exhausted",
        "expired",
        "poison"
       ]
      },
      "description": "Letters of this reason alone."
     },
     {
      "name": "app",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string"
      },
      "description": "Letters of this app alone."
     },
     {
      "name": "older",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string",
       "pattern": "^[0-9]+(ms|s|m|h|d)$"
      },
      "description": "Letters older than this, such as 1h."
     },
     {
      "name": "text",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string"
      },
      "description": "Letters that hold this text; letters of ASCII in either case."
     },
     {
      "name": "from",
      "in": "query",
      "required": false,
      "schema": {
       "type": "integer",
       "minimum": 0,
       "default": 0
      },
      "description": "`next` of the part before."
     },
     {
      "name": "ttl",
      "in": "query",
      "required": false,
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 2592000
      },
      "description": "As of the retry."
     }
    ]
   }
  },
  "/dead/letter": {
   "get": {
    "summary": "One letter, whole, and what its event becomes now.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "letter": {
           "type": "string"
          },
          "explained": {
           "type": [
            "string",
            "null"
           ]
          },
          "hasExpired": {
           "type": "boolean"
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A parameter is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "parameters": [
     {
      "name": "queue",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string"
      },
      "description": "A queue that this worker serves; default: the first."
     },
     {
      "name": "position",
      "in": "query",
      "required": false,
      "schema": {
       "type": "integer",
       "minimum": 0
      },
      "description": "Where the letter was seen."
     },
     {
      "name": "key",
      "in": "query",
      "required": true,
      "schema": {
       "type": "string"
      },
      "description": "The letter's key of the list."
     }
    ],
    "description": "The one place where text of a message is shown. Device tokens are shortened."
   }
  },
  "/dead/task": {
   "get": {
    "summary": "The retry or purge that runs, or the last one.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "task": {
           "$ref": "#/components/schemas/Task"
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A parameter is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    }
   }
  },
  "/dead/task/stop": {
   "post": {
    "summary": "Stops it; what is done stays done.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "task": {
           "$ref": "#/components/schemas/Task"
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A value is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "404": {
      "description": "What it names is not there.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "413": {
      "description": "The body is larger than 64 KB.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "415": {
      "description": "The body is not application/json.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "security": [
     {
      "token": []
     }
    ],
    "requestBody": {
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {},
        "additionalProperties": false
       }
      }
     }
    }
   }
  },
  "/dead/retry": {
   "post": {
    "summary": "Sends events of dead letters once more and removes the letters.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "anyOf": [
          {
           "type": "object",
           "properties": {
            "task": {
             "$ref": "#/components/schemas/Task"
            }
           }
          },
          {
           "type": "object",
           "properties": {
            "done": {
             "type": "integer"
            },
            "expired": {
             "type": "integer"
            }
           }
          }
         ]
        }
       }
      }
     },
     "400": {
      "description": "A value is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "404": {
      "description": "What it names is not there.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "413": {
      "description": "The body is larger than 64 KB.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "415": {
      "description": "The body is not application/json.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "409": {
      "description": "Another task is running.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "security": [
     {
      "token": []
     }
    ],
    "requestBody": {
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "queue": {
          "type": "string",
          "description": "A queue that this worker serves; default: the first."
         },
         "reason": {
          "type": "string",
          "enum": [
           "invalid_json",
           "invalid_event",
           "unsupported_version",
           "unknown_type",
           "unknown_app",
           "no_credential",
           "no_targets",
           "payload_too_large",
           "item_too_large",
           "rejected",
           "attempts_exhausted",
           "expired",
           "poison"
          ],
          "description": "Letters of this reason alone."
         },
         "app": {
          "type": "string",
          "description": "Letters of this app alone."
         },
         "older": {
          "type": "string",
          "pattern": "^[0-9]+(ms|s|m|h|d)$",
          "description": "Letters older than this, such as 1h."
         },
         "text": {
          "type": "string",
          "description": "Letters that hold this text; letters of ASCII in either case."
         },
         "position": {
          "type": "integer"
         },
         "key": {
          "type": "string"
         },
         "limit": {
          "type": "integer",
          "minimum": 1
         },
         "rate": {
          "type": "integer",
          "minimum": 1,
          "maximum": 1000000,
          "default": 100,
          "description": "At most so many a second."
         },
         "ttl": {
          "type": "integer",
          "minimum": 1,
          "maximum": 2592000,
          "description": "New lifetime in seconds; without it what has expired stays."
         }
        },
        "additionalProperties": false
       }
      }
     }
    },
    "description": "With a key: that letter, at once. Else a task for all that match."
   }
  },
  "/dead/purge": {
   "post": {
    "summary": "Removes dead letters for good.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "anyOf": [
          {
           "type": "object",
           "properties": {
            "task": {
             "$ref": "#/components/schemas/Task"
            }
           }
          },
          {
           "type": "object",
           "properties": {
            "done": {
             "type": "integer"
            }
           }
          }
         ]
        }
       }
      }
     },
     "400": {
      "description": "A value is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "404": {
      "description": "What it names is not there.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "413": {
      "description": "The body is larger than 64 KB.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "415": {
      "description": "The body is not application/json.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "409": {
      "description": "Another task is running.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "security": [
     {
      "token": []
     }
    ],
    "requestBody": {
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "queue": {
          "type": "string",
          "description": "A queue that this worker serves; default: the first."
         },
         "reason": {
          "type": "string",
          "enum": [
           "invalid_json",
           "invalid_event",
           "unsupported_version",
           "unknown_type",
           "unknown_app",
           "no_credential",
           "no_targets",
           "payload_too_large",
           "item_too_large",
           "rejected",
           "attempts_exhausted",
           "expired",
           "poison"
          ],
          "description": "Letters of this reason alone."
         },
         "app": {
          "type": "string",
          "description": "Letters of this app alone."
         },
         "older": {
          "type": "string",
          "pattern": "^[0-9]+(ms|s|m|h|d)$",
          "description": "Letters older than this, such as 1h."
         },
         "text": {
          "type": "string",
          "description": "Letters that hold this text; letters of ASCII in either case."
         },
         "position": {
          "type": "integer"
         },
         "key": {
          "type": "string"
         },
         "limit": {
          "type": "integer",
          "minimum": 1
         }
        },
        "additionalProperties": false
       }
      }
     }
    },
    "description": "With a key: that letter, at once. Else a task for all that match."
   }
  },
  "/invalid": {
   "get": {
    "summary": "Dead device tokens, or those that the brake holds, oldest first, shortened.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "queue": {
           "type": "string"
          },
          "list": {
           "type": "string"
          },
          "count": {
           "type": "integer"
          },
          "tokens": {
           "type": "array",
           "items": {
            "type": "object",
            "properties": {
             "token": {
              "type": [
               "string",
               "null"
              ]
             },
             "kind": {
              "type": [
               "string",
               "null"
              ]
             },
             "app": {
              "type": [
               "string",
               "null"
              ]
             },
             "provider": {
              "type": [
               "string",
               "null"
              ]
             },
             "environment": {
              "type": [
               "string",
               "null"
              ]
             },
             "reason": {
              "type": [
               "string",
               "null"
              ]
             },
             "user": {
              "type": [
               "string",
               "null"
              ]
             },
             "observedAt": {
              "type": [
               "integer",
               "null"
              ]
             }
            }
           }
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A parameter is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "parameters": [
     {
      "name": "queue",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string"
      },
      "description": "A queue that this worker serves; default: the first."
     },
     {
      "name": "list",
      "in": "query",
      "required": false,
      "schema": {
       "type": "string",
       "enum": [
        "invalid",
        "held"
       ],
       "default": "invalid"
      },
      "description": "Which list."
     },
     {
      "name": "limit",
      "in": "query",
      "required": false,
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 100,
       "default": 50
      },
      "description": "At most so many."
     }
    ]
   }
  },
  "/invalid/release": {
   "post": {
    "summary": "Moves held tokens to the feedback list.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "done": {
           "type": "integer"
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A value is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "404": {
      "description": "What it names is not there.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "413": {
      "description": "The body is larger than 64 KB.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "415": {
      "description": "The body is not application/json.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "security": [
     {
      "token": []
     }
    ],
    "requestBody": {
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "queue": {
          "type": "string"
         },
         "app": {
          "type": "string"
         }
        },
        "additionalProperties": false
       }
      }
     }
    }
   }
  },
  "/invalid/drop": {
   "post": {
    "summary": "Forgets held tokens.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "done": {
           "type": "integer"
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A value is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "404": {
      "description": "What it names is not there.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "413": {
      "description": "The body is larger than 64 KB.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "415": {
      "description": "The body is not application/json.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "security": [
     {
      "token": []
     }
    ],
    "requestBody": {
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "queue": {
          "type": "string"
         },
         "app": {
          "type": "string"
         }
        },
        "additionalProperties": false
       }
      }
     }
    }
   }
  },
  "/scale": {
   "post": {
    "summary": "Sets the number of worker tasks of every process or of one instance.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "workers": {
           "type": [
            "integer",
            "string",
            "null"
           ]
          },
          "instance": {
           "type": [
            "string",
            "null"
           ]
          },
          "instances": {
           "type": "integer"
          }
         }
        }
       }
      }
     },
     "400": {
      "description": "A value is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "404": {
      "description": "What it names is not there.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "413": {
      "description": "The body is larger than 64 KB.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "415": {
      "description": "The body is not application/json.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "security": [
     {
      "token": []
     }
    ],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "workers": {
          "oneOf": [
           {
            "type": "integer",
            "minimum": 1,
            "maximum": 65536
           },
           {
            "const": "auto"
           },
           {
            "const": "default"
           }
          ]
         },
         "instance": {
          "type": "string"
         }
        },
        "additionalProperties": false,
        "required": [
         "workers"
        ]
       }
      }
     }
    }
   }
  },
  "/pause": {
   "post": {
    "summary": "Stops taking from a queue, or sending for an app; without either: everything.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Paused"
        }
       }
      }
     },
     "400": {
      "description": "A value is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "404": {
      "description": "What it names is not there.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "413": {
      "description": "The body is larger than 64 KB.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "415": {
      "description": "The body is not application/json.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "security": [
     {
      "token": []
     }
    ],
    "requestBody": {
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "queue": {
          "type": "string"
         },
         "app": {
          "type": "string"
         }
        },
        "additionalProperties": false
       }
      }
     }
    }
   }
  },
  "/resume": {
   "post": {
    "summary": "The reverse.",
    "responses": {
     "200": {
      "description": "Done.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Paused"
        }
       }
      }
     },
     "400": {
      "description": "A value is not allowed.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "401": {
      "description": "The token is missing or wrong.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "403": {
      "description": "Another site's request, a strange host name, or read-only.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "404": {
      "description": "What it names is not there.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "413": {
      "description": "The body is larger than 64 KB.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "415": {
      "description": "The body is not application/json.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     },
     "503": {
      "description": "Redis does not answer.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Error"
        }
       }
      }
     }
    },
    "security": [
     {
      "token": []
     }
    ],
    "requestBody": {
     "required": false,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "queue": {
          "type": "string"
         },
         "app": {
          "type": "string"
         }
        },
        "additionalProperties": false
       }
      }
     }
    }
   }
  }
 },
 "components": {
  "securitySchemes": {
   "token": {
    "type": "http",
    "scheme": "bearer",
    "description": "The token of admin.tokenFile, else of .allim/admin-token."
   }
  },
  "schemas": {
   "Error": {
    "type": "object",
    "properties": {
     "error": {
      "type": "string"
     }
    },
    "required": [
     "error"
    ]
   },
   "Stats": {
    "type": "object",
    "properties": {
     "queue": {
      "type": "string"
     },
     "redis": {
      "type": "string"
     },
     "ready": {
      "type": "integer"
     },
     "delayed": {
      "type": "integer"
     },
     "inFlight": {
      "type": "integer"
     },
     "parked": {
      "type": "integer"
     },
     "suspects": {
      "type": "integer"
     },
     "dead": {
      "type": "integer"
     },
     "deadByReason": {
      "type": "object",
      "additionalProperties": {
       "type": "integer"
      }
     },
     "invalid": {
      "type": "integer"
     },
     "invalidHeld": {
      "type": "integer"
     },
     "oldestAgeSeconds": {
      "type": [
       "number",
       "null"
      ]
     },
     "instances": {
      "type": "integer"
     },
     "workers": {
      "type": "integer"
     },
     "workersBusy": {
      "type": "integer"
     },
     "workersWanted": {
      "type": [
       "integer",
       "string",
       "null"
      ]
     },
     "paused": {
      "type": "boolean"
     },
     "takenPerSecond": {
      "type": [
       "number",
       "null"
      ]
     },
     "pausedApps": {
      "type": "array",
      "items": {
       "type": "string"
      }
     }
    }
   },
   "Task": {
    "type": [
     "object",
     "null"
    ],
    "properties": {
     "kind": {
      "type": "string",
      "enum": [
       "retry",
       "purge"
      ]
     },
     "queue": {
      "type": "string"
     },
     "running": {
      "type": "boolean"
     },
     "total": {
      "type": "integer"
     },
     "scanned": {
      "type": "integer"
     },
     "matched": {
      "type": "integer"
     },
     "done": {
      "type": "integer"
     },
     "expired": {
      "type": "integer"
     },
     "unusable": {
      "type": "integer"
     },
     "gone": {
      "type": "integer"
     },
     "error": {
      "type": [
       "string",
       "null"
      ]
     }
    }
   },
   "Paused": {
    "type": "object",
    "properties": {
     "paused": {
      "type": "boolean"
     },
     "queues": {
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     "app": {
      "type": [
       "string",
       "null"
      ]
     }
    }
   },
   "LetterRow": {
    "type": "object",
    "properties": {
     "position": {
      "type": "integer"
     },
     "key": {
      "type": "string"
     },
     "id": {
      "type": "string"
     },
     "reason": {
      "type": "string"
     },
     "detail": {
      "type": "string"
     },
     "provider": {
      "type": [
       "string",
       "null"
      ]
     },
     "status": {
      "type": [
       "integer",
       "null"
      ]
     },
     "providerReason": {
      "type": [
       "string",
       "null"
      ]
     },
     "app": {
      "type": [
       "string",
       "null"
      ]
     },
     "type": {
      "type": [
       "string",
       "null"
      ]
     },
     "attempts": {
      "type": [
       "integer",
       "null"
      ]
     },
     "takenAt": {
      "type": "integer"
     },
     "deadAt": {
      "type": "integer"
     },
     "worker": {
      "type": [
       "string",
       "null"
      ]
     },
     "replays": {
      "type": "integer"
     }
    }
   }
  }
 }
}

"""#
}
