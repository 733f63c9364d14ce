import { openPeople, type People } from '../people.ts'
import { openRelay } from '../servers/relay.ts'
import { until } from '../wait.ts'
import { SOURCES_OF_MACHINE, type SystemdMachine } from './systemd-machines.ts'

const PORT = 8080

/** Reeve as the package installs it: its unit under the machine's systemd, its account, its command; only its folder is that of the sources. */
export interface PackagedReeve extends People, AsyncDisposable {
  readonly url: string
}

/** Installs and starts it, as the package does. */
export async function installReeve(machine: SystemdMachine): Promise<PackagedReeve> {
  const relay = await openRelay(machine.address, PORT)
  machine.put(
    '/etc/reeve.env',
    `REEVE_HOST=${machine.address}\nREEVE_PORT=${PORT}\nREEVE_TLS=off\nREEVE_PUBLIC_URL=http://127.0.0.1:${relay.port}\n`,
  )
  machine.sh(`mkdir -p /opt/reeve /run/program/upper /run/program/work
    mount -t overlay -o lowerdir=${SOURCES_OF_MACHINE},upperdir=/run/program/upper,workdir=/run/program/work program /opt/reeve
    cd /opt/reeve
    # As in a package: nothing is built, and settings are read from there.
    echo '{}' >dist/packaged.json
    ln -s /etc/reeve.env .env
    cd packaging
    cp reeve.service reeve-backup.service reeve-backup.timer /lib/systemd/system/
    install -m 755 reeve /usr/bin/reeve
    DPKG_MAINTSCRIPT_PACKAGE=reeve sh debian/postinst configure`)
  const url = `http://127.0.0.1:${relay.port}`
  await until(
    async () => {
      if (machine.sh('systemctl is-failed reeve.service || :') === 'failed\n')
        throw new Error(machine.sh('journalctl -u reeve'))
      return (await fetch(`${url}/readyz`).catch(() => null))?.ok
    },
    { what: 'the service answers', timeout: 120_000 },
  )
  const link = machine.sh('reeve setup-link').trim()
  return {
    ...openPeople(
      () => url,
      () => link,
    ),
    url,
    [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
  }
}
