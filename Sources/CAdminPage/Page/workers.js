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
