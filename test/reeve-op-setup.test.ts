import { spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readHelperFiles } from '../server/hosts/reeve-op/shipped-files.ts'
import { setupScript } from '../server/hosts/setup-script.ts'
import { whyNoDebian } from './stage/machines/debian-root.ts'
import { openRootMachine, type RootMachine, SOURCES_INSIDE } from './stage/machines/root-machine.ts'
import { skipReason } from './stage/skip-reason.ts'
import { ROOT } from './stage/sources/source-graph.ts'

const LIMIT_MS = 600_000
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl reeve'
const files = await readHelperFiles()

describe('the setup script of another machine', () => {
  test('takes nothing that could end a word of it', () => {
    const options = { publicKey: KEY, from: ['192.0.2.1', '2001:db8::/32'], port: 22 }
    expect(setupScript(files, options)).toContain(`RESTRICTIONS='restrict,from="192.0.2.1,2001:db8::/32"'`)
    for (const wrong of [
      { publicKey: `command="id" ${KEY}` },
      { publicKey: `${KEY}\nssh-rsa AAAA` },
      { publicKey: `${KEY}'; id; '` },
      { from: ['192.0.2.1"'] },
      { from: ['192.0.2.1,*'] },
      { port: 0 },
      { port: 22.5 },
      { account: 'root' },
      { account: 'reeve-op' },
      { account: 'a b' },
    ])
      expect(() => setupScript(files, { ...options, ...wrong })).toThrow(RangeError)
  })

  test('is what a shell of any system takes', ({ skip }) => {
    if (spawnSync('shellcheck', ['--version']).status !== 0) return skip('needs shellcheck')
    const input = setupScript(files, { publicKey: KEY, from: [], port: 22 })
    const { status, stdout } = spawnSync('shellcheck', ['-'], { input, encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  })
})

const why = whyNoDebian()
describe.skipIf(why !== null)(`installing reeve-op${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let scratch: string
  let machine: RootMachine
  let missing: string | null = null
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'reeve-op-'))
    const opened = await openRootMachine(join(scratch, 'machine'))
    if (typeof opened === 'string') return void (missing = opened)
    machine = opened
    machine.sh('rm -rf /usr/local/libexec/reeve-op /etc/reeve-op.conf /var/lib/reeve-op; mkdir -p /etc/systemd/system')
    await copyFile(process.execPath, join(machine.folder, 'usr/local/bin/node'))
    await chmod(join(machine.folder, 'usr/local/bin/node'), 0o755)
  }, LIMIT_MS)
  afterAll(async () => {
    await machine?.[Symbol.asyncDispose]()
    await rm(scratch, { recursive: true, force: true })
  })
  /** What `reeve <words>` printed, and its exit code. */
  const reeve = (words: string, as = ''): Promise<string> =>
    machine.shLater(
      `REEVE_DATA_DIR=/tmp/data ${as} node --disable-warning=ExperimentalWarning ${SOURCES_INSIDE}/server/cli/main.ts ${words}`,
    )

  test('by the command here: checked, installed, looked at by the doctor, removed', async ({ skip }) => {
    if (missing !== null) return skip(missing)
    expect(await reeve('helper install')).toMatch(/There is no group reeve[^]*1\n$/)
    machine.sh('groupadd --system reeve')
    expect(await reeve('helper install --check')).toMatch(/\/usr\/local\/libexec\/reeve-op is missing\.[^]*1\n$/)
    expect(await reeve('helper install', 'setpriv --reuid=1 --clear-groups')).toMatch(/Only root can do that[^]*1\n$/)
    expect(await reeve('helper install')).toMatch(/systemd does not run here[^]*\n0\n$/)
    const seen = machine.sh(
      "stat -c '%n %U:%G %a' /usr/local/libexec/reeve-op /etc/reeve-op.conf /var/lib/reeve-op /var/lib/reeve-op/* /etc/systemd/system/reeve-op*",
    )
    expect(seen).toBe(
      `/usr/local/libexec/reeve-op root:root 755
/etc/reeve-op.conf root:root 644
/var/lib/reeve-op root:root 700
/var/lib/reeve-op/backup root:root 700
/var/lib/reeve-op/jobs root:root 700
/etc/systemd/system/reeve-op.socket root:root 644
/etc/systemd/system/reeve-op@.service root:root 644
`,
    )
    // Again: nothing is done, and the list stays.
    machine.sh('echo "allow service toy.service" >> /etc/reeve-op.conf')
    expect(await reeve('helper install')).not.toContain('is as it should be now')
    expect(machine.read('/etc/reeve-op.conf')).toContain('\nallow service toy.service\n')
    expect(await reeve('helper install --check')).toMatch(/as this version ships it\.\n0\n$/)

    const doctor = async (): Promise<Record<string, string>> => {
      const text = await reeve('doctor --json')
      const { checks } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as {
        checks: { name: string; status: string; message: string }[]
      }
      const ours = checks.filter(({ name }) => name.startsWith('helper'))
      return Object.fromEntries(ours.map(({ name, status, message }) => [name, `${status}: ${message}`]))
    }
    expect(await doctor()).toEqual({
      'helper files': 'ok: Its files belong to root alone, and are as this version ships them.',
      helper: 'ok: It answers as root, and may do: service toy.service.',
      'helper refuses': expect.stringMatching(/^ok: It refuses writing \/etc\/shadow, /) as string,
    })
    machine.sh('echo "allow command" >> /etc/reeve-op.conf')
    expect((await doctor())['helper']).toMatch(/^warn: .*command/)
    // One that lets everything through: it is noticed by what it is and by what it does not refuse.
    machine.sh(
      'sed -i "s/^never() .*/never() { :; }/" /usr/local/libexec/reeve-op; chmod 775 /usr/local/libexec/reeve-op',
    )
    const bad = await doctor()
    expect(bad['helper files']).toMatch(/^fail: .*has the mode 775/)
    expect(bad['helper']).toMatch(/^fail: .*not the program/)
    expect(await reeve('helper install --check')).toMatch(/1\n$/)
    expect(await reeve('helper install')).toMatch(/reeve-op is as it should be now[^]*0\n$/)
    expect((await doctor())['helper files']).toMatch(/^ok/)

    machine.sh('touch /var/lib/reeve-op/backup/x')
    expect(await reeve('helper install --remove')).toMatch(/\/var\/lib\/reeve-op stays[^]*\/etc\/reeve-op\.conf stays/)
    machine.sh('rm -r /var/lib/reeve-op /etc/reeve-op.conf')
    expect(machine.sh('find / -xdev -name "*reeve-op*" -not -path "/proc/*" -not -path "/srv/*"')).toBe(
      '/run/reeve-op.sock\n',
    )
    expect(await reeve('helper install --remove')).toBe('There was nothing to remove.\n0\n')
    machine.sh('mv /run/reeve-op.sock /run/elsewhere')
    expect((await doctor())['helper']).toMatch(/^ok: It is not installed/)
  })

  test('by the script, where there is neither sudo nor an account of another one', async ({ skip }) => {
    if (missing !== null) return skip(missing)
    const run = async (account: string, words = ''): Promise<string> => {
      await writeFile(
        join(machine.folder, 'root/setup.sh'),
        setupScript(files, { publicKey: KEY, from: [], port: 22, account }),
      )
      return machine.sh(`sh /root/setup.sh ${words} 2>&1 && echo 0 || echo $?`)
    }
    machine.sh('useradd anna')
    expect(await run('anna')).toMatch(/there is an account anna already[^]*1\n$/)
    expect(await run('reader', '--what')).toMatch(/^This makes the machine [^]*0\n$/)
    expect(machine.sh('ls -A /var/lib/reeve-ssh 2>&1 || :')).toContain('No such file')
    expect(await run('reader')).toMatch(/neither sudo nor doas[^]*0\n$/)
    expect(
      machine.sh(
        "getent shadow reader reeve-op | cut -d: -f1,2; id -nG reader; stat -c '%U %a' /var/lib/reeve-ssh/*/.ssh/*",
      ),
    ).toBe(
      'reader:*\nreeve-op:*\nreader adm systemd-journal\nroot 644\nroot 644\n'.replace(
        ' systemd-journal',
        machine.sh('getent group systemd-journal || :') === '' ? '' : ' systemd-journal',
      ),
    )
    expect(machine.read('/var/lib/reeve-ssh/reader/.ssh/authorized_keys')).toBe(`restrict ${KEY}\n`)
    expect(await run('reader', '--remove')).toMatch(/It is removed\.\n\/etc\/reeve-op\.conf stays[^]*0\n$/)
    expect(
      machine.sh('getent passwd reader reeve-op || ls -A /var/lib/reeve-ssh /usr/local/libexec 2>&1 || :'),
    ).not.toMatch(/:x:|reeve-op$/m)
  })
})

/** This machine's programs, in a copy of its files that is thrown away. */
const INSIDE = `set -e
over="$1/over"; mkdir "$over"; mount -t tmpfs t "$over"; mkdir "$over/upper" "$over/work" "$over/root"
mount -t overlay o -o "lowerdir=/,upperdir=$over/upper,workdir=$over/work" "$over/root"
cp "$1/setup.sh" "$1/key" "$1/client.ts" "$over/root/root/"
mkdir -p "$over/root${ROOT}"; mount --bind "${ROOT}" "$over/root${ROOT}"
cd "$over/root"; mount -t proc proc proc; mount -t tmpfs t run; mkdir run/sshd; mount --rbind /dev dev; ip link set lo up
exec chroot . /bin/sh -euc "$2" sh - "$3"`

/** Reeve's own way there: ssh2, the port to a machine, and the account whose key starts reeve-op. */
const CLIENT = `
import { readFileSync } from 'node:fs'
import { openConnections } from '${ROOT}/server/hosts/ssh/connections.ts'
const [key, host] = process.argv.slice(2).map((path) => readFileSync(path, 'utf8'))
await using connections = openConnections({ keys: async () => [key] })
const target = { host_id: 'one', name: 'one', address: '127.0.0.1', port: 2222, account: 'reeve-reader', host_key: host.split(' ')[1] }
const machine = connections.machineOf(target)
const signal = AbortSignal.timeout(30000)
const options = { op_id: 'b'.repeat(32), deadline_ms: 30000 }
const script = 'id -u; mv /etc/sudoers.d/reeve-op /root/; echo moved >> /root/moved; cat /root/moved'
console.log(JSON.stringify(await machine.operate({ op: 'command', script, deadline_s: 20 }, options, signal)))
const missing = await machine.operate({ op: 'power', action: 'cancel' }, { ...options, op_id: 'c'.repeat(32) }, signal)
console.log(missing.kind, /sudo/.test(missing.text))
`

const TOLD = `reeve-op answers.
rules
reeve-op
ok
uid 0
reeve-reader
sudo: a password is required
{"kind":"ended","exit_code":0,"text":"0\\nmoved"}
missing true
ok
exit 0
0
ok
exit 0
0
done
/etc/reeve-op.conf stays: look at it, and remove it.
/var/lib/reeve-op stays: look at it, and remove it.
id: 'reeve-op': no such user
`

describe('through sudo and sshd', () => {
  const lacking = ['sudo', 'visudo', 'sshd', 'ssh-keygen'].filter(
    (program) =>
      spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } }).status !== 0,
  )
  const because = why ?? (lacking.length > 0 ? skipReason(`needs ${lacking.join(', ')}`) : null)

  test(
    `the key of reeve-op opens nothing but reeve-op${because === null ? '' : ` (skipped: ${because})`}`,
    async ({ skip }) => {
      if (because !== null) return skip(because)
      const folder = await mkdtemp(join(tmpdir(), 'reeve-setup-'))
      try {
        expect(spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')]).status).toBe(0)
        const publicKey = spawnSync('ssh-keygen', ['-y', '-f', join(folder, 'key')], { encoding: 'utf8' })
          .stdout.trim()
          .split(' ')
          .slice(0, 2)
          .join(' ')
        await writeFile(
          join(folder, 'setup.sh'),
          setupScript(files, { publicKey, from: ['127.0.0.0/8'], port: 2222, account: 'reeve-reader' }),
        )
        await writeFile(join(folder, 'client.ts'), CLIENT)
        const asked = `cd /; sh /root/setup.sh >/dev/null; sh /root/setup.sh | grep answers; visudo -cq && echo rules; ls /etc/sudoers.d | grep reeve
ssh-keygen -q -t ed25519 -N '' -f /root/host
$(command -v sshd) -f /dev/null -p 2222 -h /root/host -o PidFile=none -o UsePAM=no
to() { ssh -F none -q -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -i /root/key -p 2222 "$@"; }
until to reeve-reader@127.0.0.1 true; do [ -d /proc/1 ]; done
hello='reeve-op 1\\nid 00000000000000000000000000000001\\nhello\\n\\n'
printf "$hello" | to reeve-op@127.0.0.1 'cat /etc/shadow' | head -n 2
to reeve-reader@127.0.0.1 'id -un; sudo -n /usr/local/libexec/reeve-op' </dev/null 2>&1 || :
echo 'allow command' >> /etc/reeve-op.conf
body='sleep 1; id -u; ps -o sid= -p $$ >/dev/null; echo done > /root/done'
ask() { printf 'reeve-op 1\\nid %s\\n%s\\n\\n%s' 000000000000000000000000000000aa "$1" "$2" | to reeve-op@127.0.0.1; }
"$2" --disable-warning=ExperimentalWarning /root/client.ts /root/key /root/host.pub; mv /root/reeve-op /etc/sudoers.d/
ask "$(printf 'command\\ndeadline 20\\nlength %s' \${#body})" "$body"; ask status ''; cat /root/done
sh /root/setup.sh --remove | tail -n 2; ls -A /etc/sudoers.d | grep reeve || :; id reeve-op 2>&1 || :`
        const { stdout, stderr, status } = spawnSync(
          'unshare',
          [
            '--mount',
            '--pid',
            '--net',
            '--fork',
            '--kill-child',
            'sh',
            '-c',
            INSIDE,
            'sh',
            folder,
            asked,
            process.execPath,
          ],
          { encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' }, timeout: 60_000 },
        )
        expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: TOLD, stderr: '' })
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    LIMIT_MS,
  )
})
