import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HostTarget } from '../../server/hosts/ssh/target.ts'
import { ownBytes } from '../stage/measure.ts'
import { signInKey } from '../stage/servers/ssh-server.ts'

/** OpenSSH's client as scripts use it: each command is a process, which asks one that keeps the connection. */
export interface SshPeer extends AsyncDisposable {
  /** Resolves when the command has ended on that machine. */
  run(machine: number, command: string): Promise<void>
  /** On all of them at once. */
  runAll(command: string): Promise<void>
  /** KiB that the process of a connection has for itself. */
  memory(): number
}

export async function openSshPeer(targets: readonly HostTarget[]): Promise<SshPeer> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-ssh-'))
  const key = join(folder, 'key')
  writeFileSync(key, signInKey.private_key, { mode: 0o600 })
  const common = ['-F', 'none', '-q', '-i', key, '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null']
  const to = (at: number): string[] => {
    const { account, address, port } = targets[at]!
    return [...common, '-S', join(folder, String(at)), '-p', String(port), `${account}@${address}`]
  }
  const end = (args: string[]): Promise<void> =>
    new Promise((done, fail) => {
      const child = spawn('ssh', args, { stdio: ['ignore', 'ignore', 'inherit'] })
      child.once('error', fail)
      child.once('close', (code) => (code === 0 ? done() : fail(new Error(`ssh ended with ${code}`))))
    })
  const all = (each: (at: number) => Promise<void>) => Promise.all(targets.map((_, at) => each(at)))
  // With -f it is in the background once it is signed in.
  await all((at) => end(['-M', '-N', '-f', ...to(at)]))
  return {
    run: (machine, command) => end([...to(machine), command]),
    runAll: async (command) => void (await all((at) => end([...to(at), command]))),
    memory() {
      // `Master running (pid=4711)`
      const { stderr } = spawnSync('ssh', ['-O', 'check', ...to(0)], { encoding: 'utf8' })
      return ownBytes(Number(/pid=(\d+)/.exec(stderr)?.[1])) / 1024
    },
    async [Symbol.asyncDispose]() {
      await all((at) => end(['-O', 'exit', ...to(at)]))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
