import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { runCommand } from './stage/command-line.ts'
import { openFolder } from './stage/open-folder.ts'
import { skipReason } from './stage/skip-reason.ts'

const notInstalled = (program: string): string | null =>
  skipReason(spawnSync(program, ['--version']).error ? `${program} is not installed` : null)

const text = async (...words: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runCommand({}, words)
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' })
  return stdout
}

test('reeve --version says which one it is', async () => {
  expect(await text('--version')).toBe(`reeve ${manifest.version}\n`)
})

test('completion for bash knows commands, what they do, and their options', async () => {
  const script = await text('completion', 'bash')
  const complete = (...words: string[]): string[] => {
    const asked = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _reeve; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', `${script}\n${asked}`], { encoding: 'utf8' })
    expect(stderr).toBe('')
    return stdout.trim().split('\n')
  }
  expect(complete('reeve', 'ver')).toEqual(['verify'])
  expect(complete('reeve', 'user', 'dis')).toEqual(['disable'])
  expect(complete('reeve', 'backup', '--k')).toEqual(['--keep'])
})

for (const shell of ['zsh', 'fish']) {
  test.skipIf(notInstalled(shell) !== null)(`${shell} takes its completion`, async () => {
    const script = await text('completion', shell)
    expect(script).toContain('remove-second-factor')
    await using closing = new AsyncDisposableStack()
    const file = join(await openFolder(closing), 'completion')
    await writeFile(file, script)
    expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })
}

test.skipIf(notInstalled('man') !== null)('the manual page is one', async () => {
  const { status, stdout, stderr } = spawnSync('man', ['--warnings', '-l', '-'], {
    input: await text('man'),
    encoding: 'utf8',
    env: { ...process.env, MANWIDTH: '160' },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  for (const part of ['NAME', 'reeve user delete', '--lose-secrets', 'EXIT STATUS', '/etc/reeve.env'])
    expect(stdout).toContain(part)
})
