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
