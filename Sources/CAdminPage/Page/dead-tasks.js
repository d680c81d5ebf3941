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
