import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openControlGroups } from '../server/modules/process/control-groups.ts'
import { runAttack } from './stage/modules/attack-module.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { modules } = contract

describe.each(databases)('the limit of memory of one module on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    admin = await stage.as('admin')
    await runAttack(admin, { name: 'big', tools: [{ name: 'say' }] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  const params = { module_name: 'big' }
  const memory = async () => (await admin.call(modules.module, { params })).module.memory
  const save = (memory_mib: number | null) => admin.call(modules.saveLimits, { params, body: { memory_mib } })

  test('is what holds for all, until it has its own', async () => {
    expect(await memory()).toMatchObject({ limit: 1024 ** 3, own_mib: null, policy_mib: 1024 })
    const { module } = await save(2048)
    expect(module.memory).toMatchObject({ limit: 2 * 1024 ** 3, own_mib: 2048, policy_mib: 1024 })
    const { module: found } = await admin.call(modules.diagnostics, { params })
    expect(found.limits.memory).toBe(2 * 1024 ** 3)
    await until(async () => (await admin.call(modules.module, { params })).module.state === 'running')
    expect((await memory())?.used).toBeGreaterThan(0)
    expect((await save(null)).module.memory).toMatchObject({ limit: 1024 ** 3, own_mib: null })
  })

  test('outlives another consent and a restart of the module, and is in the log', async () => {
    await save(96)
    await admin.call(modules.disable, { params })
    await admin.call(modules.enable, { params, body: {} })
    expect((await memory())?.own_mib).toBe(96)
    const { module } = await admin.call(modules.module, { params })
    expect(module.history.map(({ action, details }) => ({ action, details }))).toContainEqual({
      action: 'module.limits_changed',
      details: { memory_mib: 96 },
    })
  })

  test('is a number of MiB that makes sense, and of a bundle', async () => {
    for (const memory_mib of [0, 63, 65_537, 1.5]) {
      await expect(save(memory_mib)).rejects.toMatchObject({ status: 422, code: 'invalid_request' })
    }
    const system = { params: { module_name: 'system' }, body: { memory_mib: 128 } }
    await expect(admin.call(modules.saveLimits, system)).rejects.toMatchObject({ status: 409, code: 'not_a_bundle' })
  })
})

describe('a control group of the kernel', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'reeve-groups-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** A machine whose group for this process has these controllers and processes. */
  function machine(name: string, controllers: string, pids: readonly number[]): [mount: string, self: string] {
    const mount = join(folder, name)
    mkdirSync(join(mount, 'reeve.service'), { recursive: true })
    writeFileSync(join(mount, 'reeve.service/cgroup.controllers'), `${controllers}\n`)
    writeFileSync(join(mount, 'reeve.service/cgroup.procs'), pids.map((pid) => `${pid}\n`).join(''))
    const self = join(mount, 'self')
    writeFileSync(self, '0::/reeve.service\n')
    return [mount, self]
  }

  test('is not used where there is none, or without what is needed, or when it is not ours alone', () => {
    const self = join(folder, 'old')
    writeFileSync(self, '4:memory:/user\n1:name=systemd:/\n')
    expect(openControlGroups(folder, self)).toBe('the machine has no control groups of version 2')
    expect(openControlGroups(...machine('bare', 'cpu pids', [process.pid]))).toBe(
      'its control group has no controller for memory',
    )
    expect(openControlGroups(...machine('shared', 'cpu memory pids', [1, process.pid]))).toBe(
      'its control group is shared with other programs',
    )
  })

  const real = openRealGroups()
  test.skipIf(typeof real === 'string')('ends a module that takes too much, and says so', async () => {
    if (typeof real === 'string') return
    const group = real.make('test', 64 * 1024 * 1024)
    const taken = 'use strict; my $much = "x" x (200 * 1048576); sleep 60;'
    const script = '{ echo 0 > "$0"; } && exec perl -e "$1"'
    expect(() => execFileSync('/bin/sh', ['-c', script, group.entrance, taken], { stdio: 'ignore' })).toThrow(
      'Command failed',
    )
    expect(group.overrun()).toBe(true)
    await group.remove()
  })
})

/** In the group of this run, where it was delegated: under systemd with `Delegate=yes`. */
function openRealGroups() {
  const groups = readFileSync('/proc/self/cgroup', 'latin1').includes('0::') ? openControlGroups() : 'no such thing'
  if (typeof groups === 'string') process.stderr.write(`The test of a real control group is skipped: ${groups}\n`)
  return groups
}
