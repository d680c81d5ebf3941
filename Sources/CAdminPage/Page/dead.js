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
