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
