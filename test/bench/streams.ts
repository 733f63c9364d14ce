import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '../../contract/index.ts'
import { mebibytes, median, percentile, report, residentBytes } from '../stage/measure.ts'
import { startProcess } from '../stage/process.ts'

/** 1,000 open activity streams: what they weigh, and how long an event takes to all of them. */
const STREAMS = 1000
const PER_TOKEN = 10
const EVENTS = 50

await using server = await startProcess({ env: { NODE_ENV: 'production' } })
const admin = await server.as('admin')
const { conversation_id } = await admin.call(contract.chat.reset, {})
await delay(2000)
const before = residentBytes(server.pid)
const arrivals: number[][] = Array.from({ length: EVENTS }, () => [])
const seen = new Map<number, () => void>()

function openStream(token: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const url = `${server.url}/api/chat/activity/stream`
    const request = get(url, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        const now = performance.now()
        if (chunk.includes('event: snapshot')) resolve()
        for (const match of chunk.matchAll(/"title":"mark (\d+)"/g)) {
          const n = Number(match[1])
          if (arrivals[n]!.push(now) === STREAMS) seen.get(n)?.()
        }
      })
    })
    request.on('error', reject)
    request.setNoDelay(true)
  })
}

for (let i = 0; i < STREAMS / PER_TOKEN; i++) {
  const { token } = await admin.call(contract.accounts.createToken, { body: { name: `bench ${i}` } })
  await Promise.all(Array.from({ length: PER_TOKEN }, () => openStream(token)))
}
await delay(2000)
const after = residentBytes(server.pid)
const latencies: number[] = []
for (let n = 0; n < EVENTS; n++) {
  const all = new Promise<void>((resolve) => seen.set(n, resolve))
  const begun = performance.now()
  await admin.call(contract.chat.updateConversation, { params: { conversation_id }, body: { title: `mark ${n}` } })
  await all
  latencies.push(...arrivals[n]!.map((at) => at - begun))
  await delay(50)
}
report(`${STREAMS} open activity streams`, {
  'memory before': mebibytes(before),
  'memory with them': `${mebibytes(after)} (${((after - before) / STREAMS / 1024).toFixed(1)} KiB a stream)`,
  'one event to all of them': `median ${median(latencies).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms (${EVENTS} events)`,
})
// The streams would keep this process up.
process.exit(0)
