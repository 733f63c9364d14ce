import type { CDPSession } from 'playwright-core'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import { importFile } from '../stage/documents/import-file.ts'
import { median, report, startBeside } from '../stage/measure.ts'
import { startProcess } from '../stage/process.ts'

/**
 * How soon `/chat` shows its content on a slow phone network, with a warm server: largest contentful paint, and what goes
 * over the wire until the page is complete. First without anything in the browser's cache, then once more with it.
 */
const RUNS = 5
const CONVERSATIONS = 60
const MESSAGES = 30
const LATE_MS = 4000

const MODEL = `
  import('${new URL('../stage/servers/scripted-model.ts', import.meta.url).href}').then(async ({ startScriptedModel }) => {
    const model = await startScriptedModel(() => [{ text: 'Yes.' }])
    console.log(JSON.stringify({ url: model.url }))
  })`

interface Network {
  readonly latency: number
  /** Bytes per second. */
  readonly downloadThroughput: number
  readonly uploadThroughput: number
}

const NETWORKS: Record<string, Network> = {
  // What Lighthouse calls Slow 4G: 150 ms, 1.6 Mbit/s down, 750 kbit/s up. The latency is of each request, and there is
  // none for opening a connection.
  'Slow 4G as published (150 ms, 1.6 Mbit/s)': {
    latency: 150,
    downloadThroughput: 1_600_000 / 8,
    uploadThroughput: 750_000 / 8,
  },
  // What the developer tools of Chrome apply under that name: the latency of a request is 3.75 round trips, to make up for
  // the connections whose opening they cannot slow down.
  'Slow 4G of the developer tools (562 ms, 1.44 Mbit/s)': {
    latency: 150 * 3.75,
    downloadThroughput: (1_600_000 / 8) * 0.9,
    uploadThroughput: (750_000 / 8) * 0.9,
  },
}

interface Visit {
  readonly paint: number
  readonly requests: number
  readonly bytes: number
}

// With an engine: without one, a notice of its absence would be the largest that is painted.
using model = await startBeside(MODEL)
await using server = await startProcess({ model, env: { NODE_ENV: 'production' } })
const admin = await server.as('admin')
for (let i = 0; i < CONVERSATIONS; i++) {
  const { conversation_id } = await admin.call(contract.chat.reset, {})
  await admin.call(contract.chat.updateConversation, {
    params: { conversation_id },
    body: { title: `Conversation ${i}` },
  })
}
const { conversation_id } = await admin.call(contract.chat.importConversation, {
  body: importFile(MESSAGES, 'a report about the pumps of the harbour, '.repeat(4)),
})
const browser = await openBrowser()

/** Counts what a page requests; a request that is never finished (the activity stream) counts with what has come. */
async function count(session: CDPSession): Promise<() => { requests: number; bytes: number }> {
  let requests = 0
  let bytes = 0
  session.on('Network.responseReceived', ({ response }) => {
    if (!response.fromDiskCache) requests++
  })
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  await session.send('Network.enable')
  return () => ({ requests, bytes })
}

async function visits(path: string, shown: string, network: Network): Promise<{ cold: Visit; warm: Visit }> {
  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 800 } })
  const [name = '', value = ''] = admin.cookie.split(';')[0]!.split('=')
  await context.addCookies([{ name, value, url: server.url }])
  const visit = async (): Promise<Visit> => {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    const counted = await count(session)
    await session.send('Network.emulateNetworkConditions', { offline: false, ...network })
    await page.goto(path, { waitUntil: 'commit' })
    await page.locator(shown).first().waitFor()
    // What comes late counts: lists, fonts, parts that are loaded ahead.
    await page.waitForTimeout(LATE_MS)
    const paint = await page.evaluate<number>(`new Promise((resolve) =>
      new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
        .observe({ type: 'largest-contentful-paint', buffered: true }))`)
    const visited = { paint, ...counted() }
    await page.close()
    return visited
  }
  const cold = await visit()
  const warm = await visit()
  await context.close()
  return { cold, warm }
}

function figure(runs: readonly Visit[]): string {
  const of = (key: keyof Visit): number => median(runs.map((run) => run[key]))
  return `LCP ${of('paint').toFixed(0)} ms; ${of('requests')} requests, ${(of('bytes') / 1000).toFixed(0)} kB`
}

const PAGES = {
  'new chat': { path: '/chat?new=true', shown: 'main textarea' },
  [`conversation of ${MESSAGES} messages`]: { path: `/chat?c=${conversation_id}`, shown: 'main article' },
}
for (const [name, network] of Object.entries(NETWORKS)) {
  const figures: Record<string, string> = {}
  for (const [page, { path, shown }] of Object.entries(PAGES)) {
    // The first warms the server and is not counted.
    const runs = []
    for (let i = 0; i <= RUNS; i++) runs.push(await visits(path, shown, network))
    const counted = runs.slice(1)
    figures[`${page}, empty cache`] = figure(counted.map(({ cold }) => cold))
    figures[`${page}, second visit`] = figure(counted.map(({ warm }) => warm))
  }
  report(`/chat with ${CONVERSATIONS} conversations at ${name}, median of ${RUNS}`, figures)
}
await browser.close()
