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
