import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readProcessTable } from '../server/modules/process/process-table.ts'
import { isolationWorks, LEVELS, NOTHING, openStage, runs, type Agent } from './stage/modules/sandbox-stage.ts'

const REFUSED = /^Error: (?:ENOENT|EROFS|EACCES|EPERM|ERR_ACCESS_DENIED|ESRCH|ENXIO)/
const CANARY = 'canary-of-the-service'

/** What each level says of itself where it stops nothing; asserted instead of the attack failing. */
const HONEST = {
  isolated: /own view of files and processes/,
  restricted: /does not hold against a hostile module/,
  guarded: /does not hold against a hostile module.*The network is not limited/,
  process: /not kept apart and can reach whatever the service can reach/,
}

describe.each(LEVELS)('at the level %s a module', (level) => {
  const files = level !== 'process'
  const isolated = level === 'isolated'
  let stage: Awaited<ReturnType<typeof openStage>>
  let agent: Agent

  beforeAll(async () => {
    process.env.REEVE_CANARY = CANARY
    stage = await openStage(level)
    writeFileSync(join(stage.folder, 'reeve.sqlite'), CANARY)
    const other = await stage.start({ name: 'other' })
    await other.ask('write', { path: join(stage.dataFolder('other'), 'secret'), text: CANARY })
    agent = await stage.start({ env: { OWN: 'setting-of-its-own' } })
  })
  afterAll(async () => {
    delete process.env.REEVE_CANARY
    await stage[Symbol.asyncDispose]()
  })

  test('is told which level it has', () => {
    expect(agent.link.isolation.level).toBe(level)
    expect(agent.link.isolation.reason.toString()).toMatch(HONEST[level])
    expect(stage.sandbox.level(stage.launch({}), NOTHING)).toEqual(agent.link.isolation)
    if (!isolated)
      expect(agent.link.isolation.reason.toString()).toContain('bubblewrap cannot keep it apart: it is not installed')
    if (!isolated && process.getuid?.() === 0) expect(agent.link.isolation.reason.toString()).toContain('runs as root')
  })

  test('gets its own settings and nothing of the service', async () => {
    const env = (await agent.ask('env')) as Record<string, string>
    const names = Object.keys(env).filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))
    expect(names.sort()).toEqual(['HOME', 'LANG', 'OWN', 'PATH', 'TERM', 'TMPDIR'])
    expect(env).toMatchObject({ OWN: 'setting-of-its-own', HOME: stage.dataFolder() })
    expect(await agent.ask('self')).toMatchObject({ cwd: stage.dataFolder() })
  })

  test('writes into its own folder and its temporary folder, and reads its bundle', async () => {
    const { TMPDIR } = (await agent.ask('env')) as Record<string, string>
    expect(await agent.ask('write', { path: join(stage.dataFolder(), 'note') })).toBeNull()
    expect(await agent.ask('write', { path: join(TMPDIR!, 'note') })).toBeNull()
    expect(await agent.ask('read', { path: join(stage.bundleFolder, 'agent.mjs') })).toContain('attacker of the tests')
  })

  test('cannot change its bundle', async () => {
    const answer = await agent.ask('open', { path: join(stage.bundleFolder, 'agent.mjs') })
    if (files) expect(answer).toMatch(REFUSED)
    else expect(answer).toBeNull()
  })

  test('cannot read the database and the files of another module', async () => {
    for (const path of [join(stage.folder, 'reeve.sqlite'), join(stage.dataFolder('other'), 'secret')]) {
      const answer = await agent.ask('read', { path })
      if (files) expect(answer).toMatch(REFUSED)
      else expect(answer).toBe(CANARY)
    }
  })

  test('cannot reach them through a link that it plants', async () => {
    const path = join(stage.dataFolder(), 'planted')
    const planted = await agent.ask('link', { target: stage.folder, path })
    const answer = await agent.ask('read', { path: join(path, 'reeve.sqlite') })
    if (isolated) expect(planted).toBeNull()
    if (files) expect(answer).toMatch(REFUSED)
    else expect(answer).toBe(CANARY)
  })

  test('follows a link that was there before, where only Node limits it', async () => {
    const path = join(stage.dataFolder(), 'link')
    symlinkSync(stage.folder, path)
    const answer = await agent.ask('read', { path: join(path, 'reeve.sqlite') })
    if (isolated) expect(answer).toMatch(REFUSED)
    else expect(agent.link.isolation.reason.toString()).toMatch(HONEST[level])
  })

  test('cannot read the environment of the service', async () => {
    const { parent } = (await agent.ask('self')) as { parent: number }
    for (const pid of [parent, process.pid]) {
      const answer = await agent.ask('read', { path: `/proc/${pid}/environ` })
      if (files) expect(String(answer)).not.toContain(CANARY)
      else expect(agent.link.isolation.reason.toString()).toMatch(HONEST[level])
    }
  })

  test('cannot see or end other processes', async () => {
    const victim = (await stage.start({ name: 'victim' })).link
    const { pid } = victim.process()!
    const answer = await agent.ask('kill', { pid })
    if (isolated) {
      expect(answer).toMatch(REFUSED)
      expect(runs(pid)).toBe(true)
    } else {
      expect((await victim.gone).signal).toBe('SIGKILL')
      expect(agent.link.isolation.reason.toString()).toMatch(HONEST[level])
    }
    await victim.close()
  })

  test('ends nothing but itself when it kills its parent', async () => {
    if (!isolated) return
    const suicidal = await stage.start({ name: 'suicidal' })
    const { parent } = (await suicidal.ask('self')) as { parent: number }
    const [answer] = await Promise.all([suicidal.ask('kill', { pid: parent }), suicidal.link.close()])
    expect(parent).toBe(1)
    // The first process of a sandbox takes no signals from inside.
    expect([true, 'Error: gone']).toContain(answer)
    expect(suicidal.link.process()).toBeNull()
  })

  test('has its settings in no command line', () => {
    const lines = [...readProcessTable().keys()].map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      } catch {
        return ''
      }
    })
    expect(lines.some((line) => line.includes(stage.bundleFolder))).toBe(true)
    expect(lines.filter((line) => line.includes('setting-of-its-own'))).toEqual([])
  })

  test('cannot connect out', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const answer = await agent.ask('connect', { port })
    if (isolated || level === 'restricted') expect(answer).toMatch(/ECONNREFUSED|ENETUNREACH|ERR_ACCESS_DENIED/)
    else
      expect(agent.link.isolation.reason.toString()).toMatch(
        level === 'guarded' ? /network is not limited/ : HONEST.process,
      )
    server.close()
  })

  test('opens no port that others can reach', async () => {
    const port = await agent.ask('listen')
    if (!isolated) return expect(agent.link.isolation.reason.toString()).toMatch(HONEST[level])
    const other = await stage.start({ name: 'other' })
    expect(await other.ask('connect', { port })).toBe('Error: ECONNREFUSED')
    await other.link.close()
  })

  test('starts no program that was not granted', async () => {
    const answer = await agent.ask('output', { command: 'cat', args: [join(stage.folder, 'reeve.sqlite')] })
    if (level === 'process') expect(answer).toBe(CANARY)
    else if (isolated) expect(answer).toBe('')
    else expect(answer).toBe('Error: ERR_ACCESS_DENIED')
  })

  test('reaches granted folders as they were granted', async () => {
    const granted = await stage.start({
      name: 'granted',
      grants: { folders: [{ path: stage.dataFolder('other'), write: false }] },
    })
    expect(await granted.ask('read', { path: join(stage.dataFolder('other'), 'secret') })).toBe(CANARY)
    const answer = await granted.ask('write', { path: join(stage.dataFolder('other'), 'more') })
    if (files) expect(answer).toMatch(REFUSED)
    await granted.link.close()
  })
})

describe.skipIf(!isolationWorks)('in a sandbox', () => {
  test('nothing of the system can be changed, and no memory be filled with files', async () => {
    await using stage = await openStage('isolated')
    const agent = await stage.start()
    for (const path of ['/x', '/dev/x', '/etc/x', '/run/x', '/usr/x', '/proc/x']) {
      expect([path, await agent.ask('write', { path })]).toEqual([path, expect.stringMatching(REFUSED)])
    }
    for (const path of [
      '/proc/sys/kernel/core_pattern',
      '/proc/sysrq-trigger',
      '/proc/1/oom_score_adj',
      '/etc/passwd',
    ]) {
      expect([path, await agent.ask('open', { path })]).toEqual([path, expect.stringMatching(REFUSED)])
    }
    // Files there are on the disk, where they are counted.
    for (const folder of ['/tmp', '/dev/shm']) expect(await agent.ask('write', { path: join(folder, 'x') })).toBeNull()
  })

  test('the data of the service is hidden, even in a folder that is shown', async () => {
    await using stage = await openStage('isolated', { hidden: true })
    const secret = join(stage.folder, 'private/secret')
    mkdirSync(dirname(secret))
    writeFileSync(secret, CANARY)
    writeFileSync(join(stage.folder, 'open'), 'open')
    const agent = await stage.start({ grants: { folders: [{ path: stage.folder, write: true }] } })
    expect(await agent.ask('read', { path: join(stage.folder, 'open') })).toBe('open')
    expect(await agent.ask('list', { path: dirname(secret) })).toEqual([])
    expect(await agent.ask('write', { path: secret })).toMatch(REFUSED)
    // A part of the data that the module may see is seen.
    expect(await agent.ask('write', { path: join(stage.dataFolder(), 'x') })).toBeNull()
  })

  test('there are no accounts, keys and processes of the machine', async () => {
    await using stage = await openStage('isolated')
    const agent = await stage.start()
    expect(await agent.ask('read', { path: '/etc/passwd' })).toMatch(/^module:x:1000:.*\n$/)
    for (const path of ['/etc/shadow', '/root', '/home', '/etc/ssl/private', '/var', '/sys']) {
      expect([path, await agent.ask('list', { path })]).toEqual([path, expect.stringMatching(REFUSED)])
    }
    const pids = ((await agent.ask('list', { path: '/proc' })) as string[]).filter((name) => /^\d+$/.test(name))
    expect(pids.length).toBeLessThanOrEqual(3)
    const status = (await agent.ask('read', { path: '/proc/self/status' })) as string
    expect(status).toMatch(/^CapEff:\s+0+$/m)
    expect(status).toMatch(/^CapBnd:\s+0+$/m)
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
    expect(await agent.ask('self')).toMatchObject({ user: 'module' })
  })
})
