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
