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
      rate: figure('pushes/s'), ready: figure('ready', '#/queues'),
      delayed: figure('delayed', '#/queues'), flight: figure('in flight', '#/queues'),
      parked: figure('parked', '#/apps'), age: figure('oldest age', '#/queues'),
      busy: figure('workers busy', '#/workers'), dead: figure('dead letters', '#/dead'),
    }
    const charts = {
      rate: new Chart('Pushes by outcome', { stacked: true, format: rate }),
      age: new Chart('Age in the queue', { format: seconds }),
      send: new Chart('Time of a send', { format: seconds }),
      dead: new Chart('Dead letters by reason', { stacked: true, isWhole: true, format: (value) => short(value), empty: 'None died.' }),
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
    { name: 'oldest', kind: 3, values: history.oldestAge }, { name: '99th percentile', kind: 1, values: history.queueAge.p99 },
    { name: 'median', kind: 5, values: history.queueAge.p50 },
  ])
  charts.send.show(at, [
    { name: '99th percentile', kind: 1, values: history.sendTime.p99 }, { name: 'median', kind: 5, values: history.sendTime.p50 },
  ])
  const reasons = Object.entries(history.deadByReason)
  charts.dead.show(at, reasons.map(([name, values], index) => ({ name, kind: (index + 2) % 8, values })))
  const last = outcomes.reduce((sum, [key]) => sum + (history.perSecond[key].at(-1) ?? 0), 0)
  figures.rate.set(at.length ? short(last) : '–')
}
