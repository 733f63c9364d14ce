import type { RootMachine } from './root-machine.ts'

/** Has apt know nothing but the packages that {@link publishToy} puts there, and takes `toy` away. */
export function takePackagesFrom(machine: Pick<RootMachine, 'sh'>): void {
  machine.sh(`rm -rf /etc/apt/sources.list.d/* /srv/repo; echo 'deb [trusted=yes] file:/srv/repo ./' > /etc/apt/sources.list
    dpkg --purge toy >/dev/null 2>&1 || :`)
}

/** Publishes a version of the package `toy`, which apt knows once its lists are fetched again. @param postinst a script that dpkg runs */
export function publishToy(
  machine: Pick<RootMachine, 'sh'>,
  version: string,
  { postinst = 'true' }: { postinst?: string } = {},
): void {
  machine.sh(`mkdir -p /srv/repo /srv/toy/DEBIAN; cd /srv
    printf '%s\\n' '#!/bin/sh' '${postinst}' > toy/DEBIAN/postinst; chmod 755 toy/DEBIAN/postinst
    printf 'Package: toy\\nVersion: ${version}\\nArchitecture: all\\nMaintainer: T <t@example.com>\\nDescription: toy\\n' > toy/DEBIAN/control
    dpkg-deb --build --root-owner-group toy repo/toy_${version}.deb >/dev/null; cd repo; : > Packages
    for deb in *.deb; do dpkg-deb -f $deb >> Packages; printf 'Filename: ./%s\\nSize: %s\\nSHA256: %s\\n\\n' $deb $(stat -c %s $deb) $(sha256sum $deb | cut -d' ' -f1) >> Packages; done`)
}
