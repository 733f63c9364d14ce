import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startTestApp } from './stage/app.ts'

test('the service does not wait for a connection that never asked anything', async () => {
  const app = await startTestApp()
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  await once(socket, 'connect')
  // The server has accepted it once a later connection is served.
  await (await fetch(`${app.url}/healthz`)).text()
  const closed = once(socket, 'close')
  const started = performance.now()
  await app[Symbol.asyncDispose]()
  await closed
  expect(performance.now() - started).toBeLessThan(5000)
})
