/// <reference types="node" />
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ActivityFeed } from './activity-feed.ts'

/*
 * Tabs are feeds in one process: Node has Web Locks and BroadcastChannel, the stream is a real HTTP server. Only the
 * page's events (online, pageshow) have no counterpart and are empty event targets here.
 */
const events: { id: number; type: string; at: string }[] = []
const streams = new Set<ServerResponse>()
let connections = 0
let oldest = 0
const server = createServer((request, response) => {
  connections++
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const after = new URL(request.url ?? '/', 'http://x').searchParams.get('after')
  if (after === null || Number(after) < oldest) {
    if (after !== null) response.write('event: reset\ndata: {}\n\n')
    response.write(
      `event: snapshot\ndata: ${JSON.stringify({ events: [], active: 0, cancellable: false, server_time: 0, cursor: events.length })}\n\n`,
    )
  } else for (const event of events.slice(Number(after))) send(response, event)
  streams.add(response)
  response.on('close', () => streams.delete(response))
})
const send = (response: ServerResponse, event: { id: number; type: string }): boolean =>
  response.write(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)

function emit(): void {
  const event = { id: events.length + 1, type: 'run.delta', at: '2026-01-01T00:00:00Z' }
  events.push(event)
  for (const stream of streams) send(stream, event)
}

interface Tab {
  feed: ActivityFeed
  seen: number[]
  resyncs: number[]
}
let tabs: Tab[] = []
function openTab(): Tab {
  const tab: Tab = { feed: new ActivityFeed(() => undefined), seen: [], resyncs: [] }
  tab.feed.subscribe((signal) =>
    signal.kind === 'event' ? tab.seen.push(signal.event.id) : tab.resyncs.push(signal.snapshot.cursor),
  )
  tab.feed.start('usr_1')
  tabs.push(tab)
  return tab
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !condition(); i++) await pause(10)
  expect(condition()).toBe(true)
}

const realFetch = globalThis.fetch
beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  globalThis.fetch = (input, init) => realFetch(`http://127.0.0.1:${port}${input as string}`, init)
  Object.assign(globalThis, { window: new EventTarget(), document: new EventTarget() })
  events.length = connections = oldest = 0
})
afterEach(async () => {
  for (const tab of tabs) tab.feed.stop()
  tabs = []
  globalThis.fetch = realFetch
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('many tabs share one connection, and a new tab learns where the leader stands', async () => {
  const first = openTab()
  await until(() => first.resyncs.length === 1)
  emit()
  await until(() => first.seen.length === 1)
  const second = openTab()
  await until(() => second.seen.length === 1 && second.feed.currentStatus() === 'live')
  emit()
  await until(() => first.seen.length === 2 && second.seen.length === 2)
  expect([second.resyncs, first.resyncs, connections]).toEqual([[0], [0], 1])
})

test('when the leader closes in the middle of a stream, the next tab goes on: nothing lost, nothing twice', async () => {
  const [first, second, third] = [openTab(), openTab(), openTab()]
  await until(() => tabs.every((tab) => tab.feed.currentStatus() === 'live'))
  for (let i = 0; i < 300; i++) {
    emit()
    if (i === 100) first.feed.stop()
    if (i === 200) second.feed.stop()
    if (i % 5 === 0) await pause(1)
  }
  await until(() => third.seen.at(-1) === 300)
  expect(third.seen).toEqual(Array.from({ length: 300 }, (_, index) => index + 1))
})

test('a dropped connection resumes; one that is too old says that all must be read again', async () => {
  const tab = openTab()
  await until(() => tab.resyncs.length === 1)
  for (const stream of streams) stream.destroy()
  emit()
  await until(() => tab.seen.length === 1)
  expect(tab.resyncs).toEqual([0])
  for (let i = 0; i < 5; i++) events.push({ id: events.length + 1, type: 'run.started', at: '' })
  oldest = 6
  for (const stream of streams) stream.destroy()
  await until(() => tab.resyncs.length === 2)
  expect(tab.resyncs).toEqual([0, 6])
})
