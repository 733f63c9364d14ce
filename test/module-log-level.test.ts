import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { modules } = contract
const params = { module_name: 'plain' }

describe.each(databases)('the level from which on a module logs on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    admin = await stage.as('admin')
    for (const [name, LOGS] of Object.entries({ plain: '1', quiet: '' })) {
      await install(admin, await makeBundle({ name, env: { LOGS } }))
      await admin.call(modules.enable, { params: { module_name: name }, body: {} })
    }
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  const detail = async (module_name = 'plain') => (await admin.call(modules.module, { params: { module_name } })).module
  const choose = (log_level: 'debug' | 'warning' | null, module_name = 'plain') =>
    admin.call(modules.saveLogLevel, { params: { module_name }, body: { log_level } })
  const logged = (line: string) =>
    until(async () => (await detail()).log.some((each) => each.includes(line)), { what: `the line ${line}` })

  test('is the module’s own until it is chosen, and is not offered where it does not log so', async () => {
    expect((await detail()).log_level).toBeNull()
    expect((await detail()).log).toEqual([])
    expect(await detail('quiet')).not.toHaveProperty('log_level')
  })

  test('holds at once, without a restart, and for the next start; lines have their level', async () => {
    const { uptime_ms: before } = await detail()
    expect((await choose('debug')).module).toMatchObject({ log_level: 'debug', restarts: 0 })
    await logged('[debug] plain: from debug on')
    await choose('warning')
    await logged('[warning] plain: from warning on')
    expect((await detail()).uptime_ms).toBeGreaterThan(before!)
    expect((await detail()).history[0]).toMatchObject({
      action: 'module.log_level_changed',
      details: { log_level: 'warning' },
    })
    await admin.call(modules.disable, { params })
    await admin.call(modules.enable, { params, body: {} })
    await logged('[warning] plain: from warning on')
    expect((await choose(null)).module.log_level).toBeNull()
  })

  test('is none of a built-in module', async () => {
    await expect(choose('debug', 'system')).rejects.toMatchObject({ status: 422, code: 'invalid_request' })
  })
})
