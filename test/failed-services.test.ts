import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { FailedServices } from '../server/dashboard/failed-services.ts'

const folders: string[] = []
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))))

/** A program that answers like systemctl, and the arguments and settings of each time it was asked. */
async function systemctl(answer: string, code = 0): Promise<{ program: string; asked: () => Promise<string[]> }> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-systemctl-'))
  folders.push(folder)
  const program = join(folder, 'systemctl')
  await writeFile(join(folder, 'answer'), answer)
  await writeFile(
    program,
    `#!/bin/sh\necho "$* $LC_ALL $REEVE_SECRET_KEY" >> '${folder}/asked'\ncat '${folder}/answer'\nexit ${code}\n`,
  )
  await chmod(program, 0o755)
  return { program, asked: async () => (await readFile(join(folder, 'asked'), 'utf8')).trimEnd().split('\n') }
}

test('the services that have failed are counted, and asked for once in a while', async () => {
  process.env['REEVE_SECRET_KEY'] = 'not-for-others'
  const { program, asked } = await systemctl(
    'nginx.service                    loaded    failed failed A high performance web server\n' +
      'fwupd-refresh.service            loaded    failed failed Refresh fwupd metadata and update motd\n' +
      'getty@tty1\\x20two.service        not-found failed failed getty@tty1 two.service\n',
  )
  const services = new FailedServices(program)
  expect(await Promise.all([services.count(), services.count()])).toEqual([3, 3])
  expect(await services.count()).toBe(3)
  delete process.env['REEVE_SECRET_KEY']
  expect(await asked()).toEqual(['list-units --state=failed --type=service --plain --no-legend --no-pager C'])
})

test.each([
  ['no line', '', 0],
  // systemd before 248 does it in spite of --plain, and marks what has failed.
  ['marks', '● a.service loaded failed failed A\n× b.service loaded failed failed B\n', 2],
  [
    'a legend that was not asked for',
    'a.service loaded failed failed A\n\nLOAD   = Reflects whether the unit definition was properly loaded.\n1 loaded units listed.\n',
    1,
  ],
  ['a service without a description', 'a.service loaded failed failed\n', 1],
])('%s', async (_name, answer, count) => {
  expect(await new FailedServices((await systemctl(answer)).program).count()).toBe(count)
})

test('no answer is not the answer that nothing has failed', async () => {
  const refused = await systemctl("System has not been booted with systemd as init system (PID 1). Can't operate.\n", 1)
  expect(await new FailedServices(refused.program).count()).toBeNull()
  expect(await new FailedServices('/no/systemctl/here').count()).toBeNull()
})

test('the systemctl of this machine is understood', async ({ skip }) => {
  const { status, error } = spawnSync('systemctl', ['list-units', '--no-pager'], { stdio: 'ignore' })
  if (error) return skip('There is no systemctl here.')
  const count = await new FailedServices().count()
  expect(count === null).toBe(status !== 0)
})
