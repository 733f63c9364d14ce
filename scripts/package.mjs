/**
 * `npm run package [-- folder]`: everything that a machine without a network needs, as an archive and as a Debian
 * package, each with its SHA-256; written to dist/package or the named folder, for the platform that it runs on.
 */
import { createHash } from 'node:crypto'
import {
  createReadStream,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import process from 'node:process'
import { ensureBuilt } from './build.mjs'
import { makeDebianPackage } from './debian-package.mjs'
import { ensureInstalled } from './install.mjs'
import { launch, Refusal, say } from './report.mjs'
import { collect, ROOT } from './run.mjs'
import { chooseRuntime, fetchPinned } from './runtime.mjs'
import { servicePackages } from './service-packages.mjs'

const FOLDERS = ['bin', 'builtin', 'contract', 'dist/sdk', 'dist/web', 'docs', 'packaging', 'scripts', 'sdk', 'server']
const FILES = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'dist/build.json']
/** What is not needed at run time: tests, and files of packages for compilers and debuggers. */
const LEFT_OUT = /\.test\.tsx?$|[\\/]docs[\\/](decisions|screenshots)$|\.unfinished$/
const LEFT_OUT_OF_PACKAGES = /\.(map|d\.[cm]?ts|test\.[cm]?[jt]s)$|[\\/]\.(bin|cache)$/

async function must(command, args, options = {}) {
  const { code, output } = await collect(command, args, options)
  if (code !== 0)
    throw new Refusal(`${output.trim()}\nreeve: ${basename(command)} failed while packing; see the lines above.`)
}

async function copyTree(tree) {
  const copy = (path, leftOut) =>
    cpSync(join(ROOT, path), join(tree, path), { recursive: true, filter: (from) => !leftOut.test(from) })
  for (const path of [...FOLDERS, ...FILES]) copy(path, LEFT_OUT)
  for (const path of servicePackages()) {
    // Nested packages are in the list themselves.
    const own = join(ROOT, path, 'node_modules')
    cpSync(join(ROOT, path), join(tree, path), {
      recursive: true,
      filter: (from) => from !== own && !LEFT_OUT_OF_PACKAGES.test(from),
    })
  }
  const node = `runtime/node_modules/node-linux-${process.arch}`
  for (const path of ['bin/node', 'LICENSE', 'package.json']) copy(join(node, path), LEFT_OUT)
  // From here on nothing is fetched or built; see packaged.mjs.
  writeFileSync(join(tree, 'dist/packaged.json'), JSON.stringify({ platform: `linux-${process.arch}` }))
}

async function writeDigest(file) {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  writeFileSync(`${file}.sha256`, `${hash.digest('hex')}  ${basename(file)}\n`)
  say(`${file}: ${(readFileSync(file).length / 1e6).toFixed(0)} MB`)
}

await launch(async ([folder = join(ROOT, 'dist/package')]) => {
  if (process.platform !== 'linux') throw new Refusal('a package is made on Linux.')
  const runtime = await chooseRuntime()
  await ensureInstalled(runtime, 'production')
  await ensureBuilt(runtime)
  await fetchPinned()
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const target = resolve(folder)
  const name = `reeve-${version}-linux-${process.arch}`
  const work = join(target, '.work')
  rmSync(work, { recursive: true, force: true })
  const tree = join(work, name)
  mkdirSync(tree, { recursive: true })
  try {
    say('Copying program, packages and runtime …')
    await copyTree(tree)
    const archive = join(work, `${name}.tar.gz`)
    const owners = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name', '--mode=go=rX,u+rwX']
    await must('tar', [...owners, '-C', work, '-czf', archive, name], { label: 'Writing the archive' })
    const made = [archive]
    if (existsSync('/usr/bin/dpkg-deb')) made.push(await makeDebianPackage({ runtime, tree, work, version, must }))
    else say('No .deb: dpkg-deb is not here.')
    for (const path of made) {
      const final = join(target, basename(path))
      mkdirSync(dirname(final), { recursive: true })
      renameSync(path, final)
      await writeDigest(final)
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return 0
})
