import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { asked } from '../server/hosts/ssh/command-line.ts'
import { command, connectionsWith, endOf, never, sh } from './stage/hosts/ssh-stage.ts'
import { skipReason } from './stage/skip-reason.ts'
import { sshdMissing, startSshServer } from './stage/servers/ssh-server.ts'

const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/bin', '/usr/sbin']
const find = (program: string) => FOLDERS.map((folder) => join(folder, program)).find(existsSync)
const missing = (program: string) => skipReason(find(program) === undefined ? `${program} is not installed` : null)

const scratch = mkdtempSync(join(tmpdir(), 'reeve-shells-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** What a person may have told a shell to say whenever it starts, in the files of all of them. */
function makeChatty(home: string): void {
  const said = 'echo "Welcome, today is a nice day"; printf "no line break"; echo "and on the other stream" >&2\n'
  for (const name of ['.bashrc', '.zshenv', '.profile']) writeFileSync(join(home, name), said)
  for (const name of ['.cshrc', '.tcshrc'])
    writeFileSync(join(home, name), 'echo "Welcome, today is a nice day"\nprintf "no line break"\n')
  mkdirSync(join(home, '.config/fish'), { recursive: true })
  writeFileSync(join(home, '.config/fish/config.fish'), said)
}

const WORDS = [
  'a  b',
  "it's",
  '$HOME',
  '$(id)',
  '`id`',
  'x\ny',
  '',
  '*',
  '\\',
  '!!',
  '!$',
  '~',
  '#',
  ';',
  '&&',
  '|',
  '>x',
  '"',
  'ü€😀',
  '%s',
  '\t',
]

/** A deadline that comes when the shell has set its trap, on a busy machine too. */
const TRAPPED_MS = 1500

describe.skipIf(sshdMissing !== null)('an account whose login shell is', () => {
  const shells = {
    dash: 'dash -c',
    bash: 'bash -c',
    csh: 'csh -c',
    tcsh: 'tcsh -c',
    fish: 'fish -c',
    zsh: 'zsh -c',
    busybox: 'busybox sh -c',
  }
  test.each(Object.entries(shells))('%s, which talks', async (program, shell) => {
    const why = missing(program)
    if (why !== null) return
    const config = `ForceCommand exec ${join(find(program)!, '..')}/${shell} "$SSH_ORIGINAL_COMMAND"`
    await using server = await startSshServer({ config })
    makeChatty(server.home)
    await using connections = connectionsWith()
    const machine = connections.machineOf(server.target())
    expect(await connections.check(server.target(), never)).toMatchObject({ state: 'ok' })
    const printed = await machine.run(command(['printf', '<%s>\n', ...WORDS]), never)
    expect(endOf(printed).stdout).toBe(WORDS.map((word) => `<${word}>\n`).join(''))
    expect(await sh(machine, 'cat; echo wrong >&2; exit 3', { stdin: 'in\n' })).toMatchObject({
      exit_code: 3,
      stdout: 'in\n',
      stderr: 'wrong\n',
    })
    const late = await sh(machine, "trap 'echo told; exit 9' TERM; while :; do sleep 0.1; done", {
      deadline_ms: TRAPPED_MS,
    })
    expect(late).toMatchObject({ stopped: 'deadline', stdout: 'told\n', exit_code: 9 })
    const file = join(server.home, "a 'file")
    expect(await machine.write(file, Buffer.from('text'), { if_hash: null }, never)).toMatchObject({ kind: 'written' })
    expect(await machine.readFiles([file], { max: 10 }, never)).toEqual(
      new Map([[file, { bytes: Buffer.from('text'), cut: false }]]),
    )
  })
})

/** A machine where `/bin/sh` is another one, and where all programs are those of BusyBox. */
function enter(name: string, shell: string, applets: string | null): string {
  const path = join(scratch, name)
  const programs = applets === null ? '' : `PATH=${applets}:$PATH; export PATH; `
  writeFileSync(
    path,
    `#!/bin/sh\n${programs}exec unshare --mount ${find('sh')} -c 'mount --bind ${shell} /bin/sh && exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"'\n`,
  )
  chmodSync(path, 0o755)
  return path
}

const mounts = spawnSync('unshare', ['--mount', 'mount', '--bind', '/bin/true', '/bin/sh']).status === 0
const why = sshdMissing ?? (mounts ? null : 'this machine does not let us mount')
describe.skipIf(why !== null)(`a machine whose /bin/sh is${why === null ? '' : ` (skipped: ${why})`}`, () => {
  test.each(['bash', 'busybox'])('%s, with its programs', async (program) => {
    if (missing(program) !== null) return
    const shell = find(program)!
    const busybox = program === 'busybox'
    const applets = join(scratch, 'applets')
    if (busybox && !existsSync(applets)) {
      mkdirSync(applets)
      spawnSync(shell, ['--install', '-s', applets])
    }
    await using server = await startSshServer({
      config: `ForceCommand ${enter(program, shell, busybox ? applets : null)}`,
    })
    await using connections = connectionsWith()
    const machine = connections.machineOf(server.target())
    expect(await machine.facts(never)).toMatchObject({ system: 'Linux', busybox, package_manager: 'apt' })

    const folder = join(server.home, 'folder')
    mkdirSync(join(folder, 'inner'), { recursive: true })
    const file = join(folder, 'file')
    const hash = { kind: 'written', hash: expect.any(String) as string }
    expect(await machine.write(file, Buffer.from([0, 255, 10, 13]), { if_hash: null, mode: 0o640 }, never)).toEqual(
      hash,
    )
    expect(await machine.write(file, Buffer.from('x'), { if_hash: null }, never)).toMatchObject({ kind: 'changed' })
    expect(await machine.write(join(folder, 'no/x'), Buffer.from('x'), { if_hash: null }, never)).toMatchObject({
      kind: 'failed',
      why: 'missing',
    })
    const read = await machine.readFiles([file, `${file}x`, folder, '/proc/version'], { max: 3 }, never)
    expect([...read.values()]).toEqual([
      { bytes: Buffer.from([0, 255, 10]), cut: true },
      'missing',
      'not_file',
      { bytes: Buffer.from('Lin'), cut: true },
    ])
    const within = await machine.readFiles(['file', 'inner', '../x'], { max: 9, within: folder }, never)
    expect([...within.values()]).toEqual([{ bytes: Buffer.from([0, 255, 10, 13]), cut: false }, 'not_file', 'outside'])
    const tail = await machine.readFiles([file, '/proc/uptime'], { max: 2, tail: true }, never)
    expect(tail.get(file)).toEqual({ bytes: Buffer.from([10, 13]), cut: true })
    const list = await machine.listDir(server.home, { max: 10, deep: true }, never)
    expect([...(list as { name: string; kind: string }[])].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'folder', kind: 'directory' },
      { name: 'folder/file', kind: 'file' },
      { name: 'folder/inner', kind: 'directory' },
    ])
    expect((await machine.space(['/'], 20_000, never)).get('/')?.size).toBeGreaterThan(0)
    expect((await machine.addresses(never)).get('lo')).toContain('127.0.0.1/8')
    const each = await machine.readEach(
      '/proc',
      { numbers: true, files: ['stat', 'nothing'], links: 'fd', max: 100 },
      never,
    )
    const own = each.find(({ name }) => name === String(process.pid))
    expect(own?.files['stat']).toContain(`${process.pid} (`)
    expect(own?.files).not.toHaveProperty('nothing')
    expect(own?.links).toContain('/dev/null')
    // More than one program reads at once: what is not there is left out of all of them.
    const many = Array.from({ length: 60 }, (_, at) => join(server.home, 'many', String(at)))
    for (const one of many) {
      mkdirSync(one, { recursive: true })
      writeFileSync(join(one, 'stat'), 'x')
    }
    const found = await machine.readEach(join(server.home, 'many'), { files: ['stat', 'nothing'], max: 100 }, never)
    expect(found.map(({ files }) => files)).toEqual(many.map(() => ({ stat: 'x' })))
    expect(await machine.run(command(['nothing-of-that-name']), never)).toMatchObject({
      kind: 'refused',
      why: 'no_program',
    })
    const late = await sh(machine, "trap '' TERM; while :; do sleep 0.1; done", { deadline_ms: TRAPPED_MS })
    expect(late).toMatchObject({ stopped: 'deadline', signal: 'SIGKILL' })
    expect(await sh(machine, 'sleep 1 >/dev/null 2>&1 & echo x')).toMatchObject({ stdout: 'x\n', background: true })
  })
})

const LOCALES = { de: 'de_DE.ISO-8859-1', tr: 'tr_TR.UTF-8', ja: 'ja_JP.EUC-JP' }
/** Makes one as the system has it, in a folder of its own. */
function makeLocale(name: string): boolean {
  const [language = '', encoding = ''] = name.split('.')
  const folder = join(scratch, 'locales')
  mkdirSync(folder, { recursive: true })
  // It warns of what another encoding cannot say, and has made it.
  spawnSync('localedef', ['-c', '-i', language, '-f', encoding, join(folder, name)])
  return existsSync(join(folder, name))
}

describe.skipIf(sshdMissing !== null)('text', () => {
  test.each(Object.entries(LOCALES))(
    'of an account that speaks %s comes with what does not fit replaced, sentences of programs in English',
    async (language, locale) => {
      const real = makeLocale(locale) ? `LOCPATH=${join(scratch, 'locales')}` : ''
      const config = `SetEnv LC_ALL=${locale} LANGUAGE=${language} LANG=${locale} ${real}`
      await using server = await startSshServer({ config })
      writeFileSync(join(server.home, '.profile'), `export LC_ALL=${locale} LANGUAGE=${language}\n`)
      await using connections = connectionsWith()
      const machine = connections.machineOf(server.target())
      const end = await sh(machine, 'printf \'a\\377b\\303\'; echo "$LC_ALL$LANGUAGE"; ls /nothing')
      expect(end.stdout).toBe('a\ufffdb\ufffdC\n')
      expect(end.stderr).toContain('No such file or directory')
      expect(await machine.facts(never)).toMatchObject({ system: 'Linux', package_manager: 'apt' })
      expect((await machine.space(['/'], 20_000, never)).get('/')?.size).toBeGreaterThan(0)
      expect(await machine.run(command(['no-such']), never)).toMatchObject({ kind: 'refused', why: 'no_program' })
      // Names that are no text in any of them, and letters that a Turkish machine has its own cases for.
      const folder = Buffer.concat([Buffer.from(`${server.home}/İI`), Buffer.from([0xff, 0xa4])])
      mkdirSync(folder)
      writeFileSync(Buffer.concat([folder, Buffer.from('/TITLE.conf')]), 'title')
      const listed = (await machine.listDir(server.home, { max: 10, deep: true }, never)) as { name: string }[]
      expect(listed.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['İI\ufffd\ufffd', 'İI\ufffd\ufffd/TITLE.conf']),
      )
      const file = join(server.home, 'ıiİI')
      expect(await machine.write(file, Buffer.from([0xff, 0x00]), { if_hash: null }, never)).toMatchObject({
        kind: 'written',
      })
      expect(await machine.write(`${file}/x`, Buffer.from('x'), { if_hash: null }, never)).toMatchObject({
        kind: 'failed',
        why: 'missing',
      })
      expect((await machine.readFiles([file, `${file}x`], { max: 10 }, never)).get(file)).toEqual({
        bytes: Buffer.from([0xff, 0x00]),
        cut: false,
      })
    },
  )
})

describe('a script that arrives in part', () => {
  const shells = ['dash', 'bash', 'busybox'].filter((program) => missing(program) === null)
  test.each(shells)('is not begun by %s, wherever it was cut', (program) => {
    const folder = mkdtempSync(join(scratch, 'part-'))
    const parts = mkdtempSync(join(scratch, 'parts-'))
    const script = `cd '${folder}'; : >one; for i in 1 2; do : >"two $i"; done; exec rm -f -- 'it'\\''s' '${folder}/x y'`
    for (const more of [true, false]) {
      for (const long of ['', `# ${'x'.repeat(9000)}\n`]) {
        const { line, opening } = asked(long + script, more)
        const words = line.replace('exec /bin/sh', program === 'busybox' ? 'exec "$0" sh' : 'exec "$0"')
        const run = (inputs: readonly Buffer[]): void => {
          for (const name of readdirSync(parts)) rmSync(join(parts, name))
          for (const [at, input] of inputs.entries()) writeFileSync(join(parts, String(at)), input)
          // Started by a shell, which is quicker at it than a large process; through a pipe, as from sshd.
          const each = 'for part in "$2"/*; do cat "$part" | /bin/sh -c "$0" "$1"; done'
          spawnSync('/bin/sh', ['-c', each, words, find(program)!, parts], { cwd: folder })
        }
        const body = opening.indexOf(123)
        const last = opening.lastIndexOf(125)
        const cuts = Array.from({ length: 60 }, (_, at) => Math.floor(body + ((last - body) * at) / 60))
        run([...cuts, last, last - 1].map((cut) => opening.subarray(0, cut)))
        expect(readdirSync(folder)).toEqual([])
        run([opening])
        expect(readdirSync(folder).sort()).toEqual(['one', 'two 1', 'two 2'])
        for (const name of readdirSync(folder)) rmSync(join(folder, name))
      }
    }
  })
})
