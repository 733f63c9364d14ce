import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { skipReason } from '../skip-reason.ts'
import { ROOT } from '../sources/source-graph.ts'
import { inDebian, makeDebian } from './debian-root.ts'
import type { RootMachine } from './root-machine.ts'

/** Kept between runs, like the Debian that it is made of. */
const CACHE = join(ROOT, 'node_modules/.cache/debian-bookworm-dnf')

/**
 * A machine whose packages dnf looks after, at `folder`: a Debian with Fedora's dnf 4 and rpm, and without apt. Nothing is
 * installed by rpm at first. Resolves with why it could not be fetched, else null.
 */
export async function makeDnfDebian(folder: string): Promise<string | null> {
  if (!existsSync(CACHE)) {
    const half = `${CACHE}.${process.pid}`
    const missing = await makeDebian(half)
    if (missing !== null) return missing
    await copyFile('/etc/resolv.conf', join(half, 'etc/resolv.conf'))
    const { code, output } = await inDebian(
      half,
      `export DEBIAN_FRONTEND=noninteractive; apt-get update -q
       apt-get install -y -q --no-install-recommends -o Dpkg::Options::=--force-unsafe-io dnf rpm createrepo-c dnf-plugins-core
       mkdir -p /etc/rpm /etc/dnf/vars /etc/yum.repos.d
       # As Fedora has it: one database, which everybody may read.
       echo '%_dbpath /var/lib/rpm' >/etc/rpm/macros; echo 40 >/etc/dnf/vars/releasever
       rm -rf /etc/dnf/plugins/local.conf /usr/lib/python3/dist-packages/dnf-plugins/local.py
       rm -rf /etc/resolv.conf /etc/apt /usr/bin/apt* /var/lib/apt /var/cache/apt /root/.rpmdb`,
      { network: true },
    )
    if (code !== 0) {
      await rm(half, { recursive: true, force: true })
      return skipReason(`dnf cannot be fetched: ${output.trim().split('\n').at(-1)}`)
    }
    // Another test was faster: one is as good as the other.
    await rename(half, CACHE).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
      await rm(half, { recursive: true, force: true })
    })
  }
  spawnSync('cp', ['-a', CACHE, folder])
  return null
}

interface Rpm {
  readonly name: string
  readonly version: string
  readonly requires?: string
  readonly obsoletes?: string
}

/** Publishes packages in the only repository there is; dnf knows them once its lists are fetched again. */
export function publishRpms(machine: Pick<RootMachine, 'sh'>, ...packages: readonly Rpm[]): void {
  for (const { name, version, requires, obsoletes } of packages) {
    const more = [requires && `Requires: ${requires}`, obsoletes && `Obsoletes: ${obsoletes}`].filter(Boolean)
    machine.sh(`mkdir -p /srv/rpms /srv/specs; cat >/srv/specs/${name}.spec <<'X'
Name: ${name}
Version: ${version}
Release: 1
Summary: toy
License: MIT
BuildArch: noarch
${more.join('\n')}
%description
toy
%files
X
    rpmbuild -bb --quiet --define '_rpmdir /srv/rpms' --define '_topdir /srv/build' /srv/specs/${name}.spec`)
  }
  machine.sh(`createrepo_c -q /srv/rpms
    printf '[toy]\\nname=toy\\nbaseurl=file:///srv/rpms\\ngpgcheck=0\\n' >/etc/yum.repos.d/toy.repo`)
}
