import type { Target } from './resolve-tree.ts'

/** What packages for certain machines are chosen by. */
export function thisMachine(): Target {
  const { platform, arch } = process
  if (platform !== 'linux') return { os: platform, cpu: arch, libc: null }
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return { os: platform, cpu: arch, libc: report.header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc' }
}
