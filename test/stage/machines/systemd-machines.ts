import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT } from '../sources/source-graph.ts'
import { until } from '../wait.ts'
import { furnishedDebian } from './furnished-debian.ts'
import { BOOT, MACHINES } from './systemd-scripts.ts'

/**
 * A Debian 12 with process 1, network, users and files of its own: its systemd, journal, sshd, sudo, apt and nginx are
 * the real ones. Reached at its address, port 22, from here and from its neighbours, and from nowhere else.
 */
export interface SystemdMachine {
  readonly name: string
  readonly address: string
  /** Runs a script as root inside; its output, both streams. @throws its end was not 0 */
  sh(script: string, input?: string): string
  put(path: string, text: string, mode?: number): void
  read(path: string): string
  /** What reeve-op may do: the lines of its list. */
  allow(...lines: string[]): void
}

export type SystemdMachines = AsyncDisposable & ReadonlyMap<string, SystemdMachine>

/** Where the sources are inside, for nobody to write. */
export const SOURCES_OF_MACHINE = '/srv/sources'
const MOST_NETWORKS = 250

/** Starts machines of these names in a network of their own. Resolves with why not. They end with this process, however that ends. */
export async function openSystemdMachines(names: readonly string[]): Promise<SystemdMachines | string> {
  const debian = await furnishedDebian()
  if ('missing' in debian) return debian.missing
  const folder = mkdtempSync(join(tmpdir(), 'reeve-machines-'))
  chmodSync(folder, 0o755)
  const network = openNetwork()
  const child = spawn(
    'unshare',
    ['--mount', 'sh', '-c', MACHINES, 'reeve-machines', folder, debian.folder, network.bridge, BOOT, ...names],
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true, env: { PATH: process.env.PATH, PWD_OF_SOURCES: ROOT } },
  )
  const gone = new Promise((resolve) => child.once('close', resolve))
  const close = async () => {
    child.stdin.end()
    await gone
  }
  try {
    const starters = new Map<string, number>()
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => starters.set(line.split(' ')[0]!, Number(line.split(' ')[1])))
    await until(() => starters.size === names.length, { what: 'the machines start' })
    const machines = new Map<string, SystemdMachine>()
    for (const [index, name] of names.entries()) {
      const init = await firstProcess(starters.get(name)!, join(folder, name, 'console'))
      network.connect(init, index)
      machines.set(name, machineOf(name, `${network.prefix}.${index + 10}`, init))
    }
    for (const machine of machines.values())
      await until(() => runs(machine), { what: `sshd runs on ${machine.name}` }).catch((error: unknown) => {
        throw new Error(machine.sh('systemctl --failed; journalctl -n 50'), { cause: error })
      })
    return Object.assign(machines, { [Symbol.asyncDispose]: close })
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * A bridge that this machine is on, too. That nobody else has made one of this name says that its addresses are free.
 * This machine gets no address there, but is reached at one that it has: on every change of an address, browsers give up
 * what they are loading (net::ERR_NETWORK_CHANGED), also what other tests load meanwhile.
 */
function openNetwork() {
  for (let number = 1; number <= MOST_NETWORKS; number++) {
    const bridge = `reeve${number}`
    // For measuring networks (RFC 2544): no real one has these addresses.
    const prefix = `198.18.${number}`
    if (spawnSync('ip', ['link', 'add', bridge, 'type', 'bridge']).status !== 0) continue
    up(bridge)
    ip('route', 'add', `${prefix}.0/24`, 'dev', bridge)
    const [{ prefsrc: here }] = JSON.parse(ip('-json', 'route', 'get', `${prefix}.10`))
    return {
      bridge,
      prefix,
      connect(init: number, index: number) {
        const near = `${bridge}-${index}`
        ip('link', 'add', near, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(init))
        ip('link', 'set', near, 'master', bridge)
        up(near)
        const inside = ['-t', String(init), '-n', 'ip']
        run('nsenter', [...inside, 'addr', 'add', `${prefix}.${index + 10}/24`, 'dev', 'eth0'])
        run('nsenter', [...inside, 'link', 'set', 'eth0', 'up'])
        run('nsenter', [...inside, 'route', 'add', here, 'dev', 'eth0'])
      },
    }
  }
  throw new Error('No network is free.')
}

/** Brings an interface up without the address that it would get by itself. */
function up(name: string) {
  ip('link', 'set', name, 'addrgenmode', 'none')
  ip('link', 'set', name, 'up')
}

/** Once it is systemd: before, its root is still this machine's. */
async function firstProcess(starter: number, console: string): Promise<number> {
  return until(
    () => {
      try {
        const init = readFileSync(`/proc/${starter}/task/${starter}/children`, 'utf8').trim()
        return readFileSync(`/proc/${init}/comm`, 'utf8') === 'systemd\n' && Number(init)
      } catch {
        return false
      }
    },
    { what: 'systemd is process 1' },
  ).catch((error: unknown) => {
    throw new Error(readFileSync(console, 'utf8'), { cause: error })
  })
}

function machineOf(name: string, address: string, init: number): SystemdMachine {
  const from = (path: string) => join(`/proc/${init}/root`, path)
  const machine: SystemdMachine = {
    name,
    address,
    sh: (script, input = '') =>
      run('nsenter', ['-t', String(init), '-a', '/bin/sh', '-euc', `cd /; exec 2>&1\n${script}`], input),
    put: (path, text, mode = 0o644) => {
      mkdirSync(dirname(from(path)), { recursive: true, mode: 0o755 })
      writeFileSync(from(path), text)
      chmodSync(from(path), mode)
    },
    read: (path) => readFileSync(from(path), 'utf8'),
    allow: (...lines) => machine.put('/etc/reeve-op.conf', `${lines.join('\n')}\n`),
  }
  return machine
}

function runs({ sh }: SystemdMachine): boolean {
  return sh('systemctl is-active multi-user.target ssh.service || :') === 'active\nactive\n'
}

const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LC_ALL: 'C.UTF-8',
}

function run(program: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: ENVIRONMENT, input })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}
const ip = (...args: readonly string[]) => run('ip', args)
