import autocannon from 'autocannon'
import { contract } from '../../contract/index.ts'
import { report, startBeside } from '../stage/measure.ts'
import { startProcess } from '../stage/process.ts'

/** GET /api/chat/conversations with 1,000 conversations, beside a bare node:http on the same machine in the same run. */
const CONVERSATIONS = 1000
const HELLO = `
  const server = require('node:http').createServer((request, response) => response.end('hello'))
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: 'http://127.0.0.1:' + server.address().port })))`

async function load(url: string, cookie?: string): Promise<autocannon.Result> {
  const options = { url, connections: 50, ...(cookie ? { headers: { cookie } } : {}) }
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
const list = await load(`${server.url}/api/chat/conversations`, admin.cookie)
using hello = await startBeside(HELLO)
const bare = await load(hello.url)
const figure = (result: autocannon.Result) =>
  `${result.requests.average.toFixed(0)} requests/s, p99 ${result.latency.p99} ms, ${result.non2xx + result.errors} failed`
report(`List of ${CONVERSATIONS} conversations (page of 50), 50 connections`, {
  'GET /api/chat/conversations': figure(list),
  'bare node:http': figure(bare),
})
