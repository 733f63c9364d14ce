import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openFeed } from './stage/activity-feed.ts'
import { startTestApp } from './stage/app.ts'
import { begin, say } from './stage/chat-stage.ts'
import { openCutProxy } from './stage/servers/cut-proxy.ts'
import { PASSWORD } from './stage/people.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { startScriptedModel } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

const SECRET = { REEVE_SECRET_KEY: 'e5'.repeat(32) }

describe.runIf(databases.some(({ name }) => name === 'postgres'))(
  'a process whose listening connection is dead',
  () => {
    test(
      'notices it though nothing is closed, is not ready meanwhile, and then reads again what it missed',
      { timeout: 120_000 },
      async () => {
        const url = await createDatabase()
        const at = { name: 'postgres' as const, url: () => Promise.resolve(url) }
        // Only what it hears takes this way; its statements do not.
        await using network = await openCutProxy(url)
        await using model = await startScriptedModel(() => [{ text: 'Fine.' }])
        await using here = await startTestApp({ database: at, model, env: SECRET })
        const client = await here.as('admin')
        const env = { ...SECRET, REEVE_DATABASE_LISTEN_URL: network.url }
        await using there = await startTestApp({ database: at, model, env })
        const elsewhere = there.anonymous()
        const body = { username: 'admin', password: PASSWORD }
        elsewhere.csrfToken = (await elsewhere.call(contract.accounts.login, { body })).csrf_token
        const { cursor } = await elsewhere.call(contract.chat.activity)
        const stream = await openFeed(elsewhere, { after: cursor })
        expect(await there.anonymous().call(contract.operation.ready)).toEqual({ status: 'ok' })

        network.swallow()
        const { run_id } = await begin(client, 'hello')
        await until(async () => (await client.call(contract.chat.run, { params: { run_id } })).status === 'done')
        // It has not heard that this module was removed, and what is changed through it is what there is now.
        const module = { params: { module_name: 'tables' } }
        await client.call(contract.modules.uninstallBuiltin, module)
        await expect(elsewhere.call(contract.modules.disable, module)).rejects.toMatchObject({ status: 404 })
        await client.call(contract.modules.restoreBuiltin, { ...module, query: {} })
        expect((await elsewhere.call(contract.modules.disable, module)).module.enabled).toBe(false)
        await client.call(contract.runsAdmin.saveSwitch, {
          body: { subject: 'tool:system.host', off: true, reason: 'not now' },
        })
        await until(() => !there.app.db.hears, { what: 'the silence is noticed' })
        const unready = await there.anonymous().fetch('/readyz')
        expect(unready.status).toBe(503)
        expect(await unready.json()).toMatchObject({ code: 'not_ready', detail: expect.stringContaining('Messages') })

        network.mend()
        const mended = performance.now()
        await stream.find((event) => event.run_id === run_id && event.type === 'run.completed')
        // An attempt that began before takes 2 seconds at most, and half a second later there is the next.
        expect(performance.now() - mended).toBeLessThan(3000)
        await until(async () => (await there.anonymous().fetch('/readyz')).status === 200)
        await stream[Symbol.asyncDispose]()
        const refused = await say(elsewhere, '/system.host')
        expect(JSON.stringify(refused)).toContain('not now')
        // Nobody answers its goodbye, and it ends all the same: otherwise this test runs out of its time.
        network.swallow()
      },
    )
  },
)
