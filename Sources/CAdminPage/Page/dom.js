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
