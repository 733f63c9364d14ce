import autocannon from 'autocannon'
import { contract } from '../../contract/index.ts'
import { report, startBeside } from '../stage/measure.ts'
import { startProcess } from '../stage/process.ts'
import { hand } from './figure.ts'
import { LIST_PEERS, withPeer } from './list-peers.ts'

/** GET /api/chat/conversations with 1,000 conversations, beside a bare node:http on the same machine in the same run. */
const CONVERSATIONS = 1000
const HELLO = `
  const server = require('node:http').createServer((request, response) => response.end('hello'))
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: 'http://127.0.0.1:' + server.address().port })))`

async function load(url: string, headers: Record<string, string> = {}): Promise<autocannon.Result> {
  const options = { url, connections: 50, headers }
  await autocannon({ ...options, duration: 3 })
  return autocannon({ ...options, duration: 10 })
}

await using server = await startProcess({ env: { NODE_ENV: 'production', REEVE_LOG_LEVEL: 'info' } })
const admin = await server.as('admin')
for (let i = 0; i < CONVERSATIONS; i++) {
  const { conversation_id } = await admin.call(contract.chat.reset, {})
  await admin.call(contract.chat.updateConversation, {
    params: { conversation_id },
    body: { title: `Conversation ${i}` },
  })
}
const { cookie } = admin
const url = `${server.url}/api/chat/conversations`
const list = await load(url, { cookie })
const etag = (await admin.fetch('/api/chat/conversations')).headers.get('etag')
const unchanged = etag === null ? null : await load(url, { cookie, 'if-none-match': etag })
const health = await load(`${server.url}/healthz`)
using hello = await startBeside(HELLO)
const bare = await load(hello.url)
const perSecond = (result: autocannon.Result) => result.requests.average
// Nothing changed is what was asked for there.
const figure = (result: autocannon.Result, refused = result.non2xx) =>
  `${perSecond(result).toFixed(0)} requests/s, p99 ${result.latency.p99} ms, ${refused + result.errors} failed`
const share = (perSecond(health) / perSecond(bare)) * 100
const figures: Record<string, string> = {
  'GET /api/chat/conversations': figure(list),
  'the same, unchanged (If-None-Match)': unchanged === null ? 'there is no ETag' : figure(unchanged, 0),
  'GET /healthz': `${figure(health)}, ${share.toFixed(0)} % of bare node:http`,
  'bare node:http': figure(bare),
}
for (const peer of Object.keys(LIST_PEERS)) {
  const measured = await withPeer(peer, CONVERSATIONS, load)
  figures[`${peer}, a list in memory`] = typeof measured === 'string' ? measured : figure(measured)
}
report(`List of ${CONVERSATIONS} conversations (page of 50), 50 connections`, figures)
hand(
  { figure: 'list: pages of 50', value: perSecond(list), unit: '/s', aim: '≥ 5000', more: true },
  { figure: 'list: p99 at 50 connections', value: list.latency.p99, unit: 'ms', aim: '< 25' },
  { figure: '/healthz, share of bare node:http', value: share, unit: '%', aim: '≥ 30', more: true },
)
if (unchanged !== null)
  hand({ figure: 'list: unchanged (304)', value: perSecond(unchanged), unit: '/s', aim: '≥ 15000', more: true })
