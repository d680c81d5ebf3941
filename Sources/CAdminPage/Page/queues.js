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
