/**
 * Builds the Debian package: the archive's tree in /opt/reeve, plus unit, command, settings, manual page and
 * completions.
 */
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { gzipSync } from 'node:zlib'
import { Refusal } from './report.mjs'
import { collect } from './run.mjs'

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' }
const COMPLETIONS = {
  bash: 'usr/share/bash-completion/completions/reeve',
  zsh: 'usr/share/zsh/vendor-completions/_reeve',
  fish: 'usr/share/fish/vendor_completions.d/reeve.fish',
}
const UNITS = ['reeve.service', 'reeve-backup.service', 'reeve-backup.timer']

/** Moves `tree` into the package. Resolves with the path of the .deb in `work`. */
export async function makeDebianPackage({ runtime, tree, work, version, must }) {
  const root = join(work, 'deb')
  const inside = (path) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    return join(root, path)
  }
  renameSync(tree, inside('opt/reeve'))
  const program = join(root, 'opt/reeve')
  const copy = (name, path) => cpSync(join(program, 'packaging', name), inside(path))
  for (const unit of UNITS) copy(unit, `lib/systemd/system/${unit}`)
  copy('reeve', 'usr/bin/reeve')
  copy('reeve.env', 'etc/reeve.env')
  // The launcher reads .env in the program folder: one file, read the same way by the service and by commands.
  symlinkSync('/etc/reeve.env', join(program, '.env'))
  const said = async (...words) => {
    const { code, output } = await collect(runtime.node, [join(program, 'server/cli/main.ts'), ...words])
    if (code !== 0) throw new Refusal(`${output.trim()}\nreeve: the packed command line does not start.`)
    return output
  }
  writeFileSync(inside('usr/share/man/man1/reeve.1.gz'), gzipSync(await said('man')))
  for (const [shell, path] of Object.entries(COMPLETIONS)) writeFileSync(inside(path), await said('completion', shell))

  const architecture = ARCHITECTURES[process.arch]
  const { output: size } = await collect('du', ['-sk', '--apparent-size', root])
  for (const name of ['conffiles', 'postinst', 'prerm', 'postrm'])
    cpSync(join(program, 'packaging/debian', name), inside(`DEBIAN/${name}`))
  const control = readFileSync(join(program, 'packaging/debian/control'), 'utf8')
    .replace('@version@', version)
    .replace('@architecture@', architecture)
    .replace('@kibibytes@', size.split('\t')[0])
  writeFileSync(join(root, 'DEBIAN/control'), control)
  await must('chmod', ['-R', 'go=rX,u+rwX', root])
  const file = join(work, `reeve_${version}_${architecture}.deb`)
  const options = ['--root-owner-group', '-Zzstd', '-z7', '--build', root, file]
  await must('dpkg-deb', options, { label: 'Writing the Debian package' })
  return file
}
