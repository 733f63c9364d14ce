/**
 * An MCP server behind an authorization server, both on one address and as small as they can be: accounts agree at once, refresh
 * tokens count once, and whatever arrives is remembered.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { mcp, serve } from './remote-server.ts'

interface Code {
  readonly account: string
  readonly challenge: string
  readonly client_id: string
  readonly redirect_uri: string
  readonly resource: string | null
  readonly scope: string
}

interface Misbehaviour {
  /** What the token endpoint answers whatever it is asked. */
  token: { readonly status: number; readonly body: string } | null
  /** Tokens are given once this has happened. */
  held: Promise<void> | null
  /** Calls of its tools are answered once this has happened. */
  busy: Promise<void> | null
  /** Calls of its tools become tasks, and go on as long as this is so. */
  tasks: boolean
  /** What tools may only be called with, besides what was granted; listing them needs nothing. */
  needs: string | null
}

export async function oauthServer(options: { expires_in?: number; registers?: boolean } = {}) {
  const codes = new Map<string, Code>()
  const access = new Map<string, string>()
  const scopes = new Map<string, string>()
  const refresh = new Map<string, string>()
  const clients = new Set<string>()
  const log: string[] = []
  const methods: string[] = []
  const used: { account: string; token: string }[] = []
  /** What it does otherwise, while a test wants that. */
  const now: Misbehaviour = { token: null, held: null, busy: null, tasks: false, needs: null }
  let base = ''
  const listener: RequestListener = (request, response) => void answer(request, response)
  const json = (response: ServerResponse, status: number, value: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  const good = mcp()

  function grant(response: ServerResponse, account: string, scope = 'tools'): void {
    const tokens = { access_token: `at-${account}-${randomUUID()}`, refresh_token: `rt-${account}-${randomUUID()}` }
    access.set(tokens.access_token, account)
    refresh.set(tokens.refresh_token, account)
    scopes.set(tokens.access_token, scope)
    json(response, 200, { ...tokens, token_type: 'Bearer', scope, expires_in: options.expires_in ?? 3600 })
  }

  /** What a browser does there: signs in as this account and is sent back. The address to return to. */
  function agree(authorize: string, account: string, iss = base): URL {
    const { searchParams } = new URL(authorize)
    const code = randomUUID()
    codes.set(code, {
      account,
      challenge: searchParams.get('code_challenge') ?? '',
      client_id: searchParams.get('client_id') ?? '',
      redirect_uri: searchParams.get('redirect_uri') ?? '',
      resource: searchParams.get('resource'),
      scope: searchParams.get('scope') ?? '',
    })
    const back = new URL(searchParams.get('redirect_uri') ?? '')
    back.search = new URLSearchParams({ code, iss, state: searchParams.get('state') ?? '' }).toString()
    return back
  }

  /** The account that began a task hears of it, and any other is not let in. */
  async function asTask(request: IncomingMessage, response: ServerResponse, account: string): Promise<void> {
    const { id, params } = JSON.parse(await text(request)) as { id: number; params: { taskId?: string } }
    const { taskId = account } = params
    if (taskId !== account) return void response.writeHead(401).end()
    const said = [{ type: 'text', text: `done by ${account}` }]
    const end = !now.tasks ? { status: 'completed', result: { content: said } } : { status: 'working' }
    const resultType = params.taskId === undefined ? 'task' : 'complete'
    const task = { taskId, ttlMs: null, pollIntervalMs: 1, createdAt: '', lastUpdatedAt: '', ...end }
    json(response, 200, { jsonrpc: '2.0', id, result: { resultType, ...task } })
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', base)
    if (url.pathname === '/mcp') {
      const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      const account = access.get(token)
      if (account === undefined) {
        const metadata = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp", scope="tools"`
        return void response.writeHead(401, { 'www-authenticate': metadata }).end()
      }
      const calls = request.headers['mcp-method'] === 'tools/call'
      if (calls && now.needs !== null && !scopes.get(token)!.split(' ').includes(now.needs)) {
        const wanted = `Bearer error="insufficient_scope", scope="${now.needs}"`
        return void response.writeHead(403, { 'www-authenticate': wanted }).end()
      }
      used.push({ account, token })
      methods.push(String(request.headers['mcp-method'] ?? request.method))
      if (calls) await now.busy
      // Whoever asked may have gone meanwhile.
      if (response.destroyed) return
      const asked = request.headers['mcp-method'] === 'tasks/get'
      return asked || (calls && now.tasks) ? asTask(request, response, account) : good(request, response)
    }
    if (url.pathname === '/.well-known/oauth-protected-resource/mcp')
      return void json(response, 200, { resource: `${base}/mcp`, authorization_servers: [base] })
    if (url.pathname === '/.well-known/oauth-authorization-server')
      return void json(response, 200, {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        ...(options.registers !== false && { registration_endpoint: `${base}/register` }),
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      })
    if (url.pathname === '/authorize') {
      // Nobody is sent anywhere for a client that it does not know.
      if (!clients.has(url.searchParams.get('client_id') ?? '')) return void response.writeHead(400).end()
      const page = `<!doctype html><title>Sign in</title><a href="${agree(url.href, 'root').href.replaceAll('&', '&amp;')}">Agree</a>`
      return void response.writeHead(200, { 'content-type': 'text/html' }).end(page)
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    if (url.pathname === '/register') {
      const client_id = `client-${randomUUID()}`
      clients.add(client_id)
      log.push('register')
      return void json(response, 201, { ...(JSON.parse(body) as object), client_id })
    }
    if (url.pathname !== '/token') return void response.writeHead(404).end()
    const form = new URLSearchParams(body)
    log.push(form.get('grant_type') ?? '')
    await now.held
    if (now.token !== null)
      return void response.writeHead(now.token.status, { 'content-type': 'application/json' }).end(now.token.body)
    if (!clients.has(form.get('client_id') ?? '')) return void json(response, 401, { error: 'invalid_client' })
    if (form.get('grant_type') === 'refresh_token') {
      const token = form.get('refresh_token') ?? ''
      const account = refresh.get(token)
      // It counts once: whoever sends it again has stolen it.
      refresh.delete(token)
      return account === undefined ? void json(response, 400, { error: 'invalid_grant' }) : grant(response, account)
    }
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verified = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (code === undefined || code.challenge !== verified || code.resource !== `${base}/mcp`)
      return void json(response, 400, { error: 'invalid_grant' })
    grant(response, code.account, code.scope)
  }

  const server = await serve(listener)
  base = new URL(server.url).origin
  return {
    ...server,
    log,
    /** What was asked of the module with a token that counts. */
    methods,
    used,
    clients,
    agree,
    now,
    /** Tokens end, as they do after a time; what renews them stays. */
    endTokens: () => access.clear(),
    /** Somebody took back what they had agreed to. */
    revoke: () => (access.clear(), refresh.clear()),
  }
}
