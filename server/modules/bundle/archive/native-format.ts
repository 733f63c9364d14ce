import type { NativeFile } from './unpacked-bundle.ts'

/** ELF and PE machine numbers → their names in `process.arch`. */
const ELF_ARCH: Record<number, string> = {
  3: 'ia32',
  40: 'arm',
  62: 'x64',
  183: 'arm64',
  243: 'riscv64',
  21: 'ppc64',
  22: 's390x',
}
const PE_ARCH: Record<number, string> = { 0x14c: 'ia32', 0x8664: 'x64', 0xaa64: 'arm64' }
const MACHO_ARCH: Record<number, string> = { 0x01000007: 'x64', 0x0100000c: 'arm64' }

/** The kind of machine code in a file, judged by its first bytes (512 are enough); null for everything else. */
export function nativeFormat(start: Buffer): Omit<NativeFile, 'path'> | null {
  if (start.length < 20) return null
  const mark = start.readUInt32BE(0)
  if (mark === 0x7f454c46) {
    const machine = start[5] === 2 ? start.readUInt16BE(18) : start.readUInt16LE(18)
    return { format: 'elf', arch: ELF_ARCH[machine] ?? String(machine) }
  }
  if (mark === 0xcffaedfe || mark === 0xcefaedfe)
    return { format: 'macho', arch: MACHO_ARCH[start.readUInt32LE(4)] ?? String(start.readUInt32LE(4)) }
  // A universal binary; the same four bytes begin a Java class, whose next number is far larger.
  if (mark === 0xcafebabe && start.readUInt32BE(4) < 20) return { format: 'macho', arch: 'universal' }
  if (start.readUInt16BE(0) === 0x4d5a && start.length >= 64) {
    const header = start.readUInt32LE(60)
    if (header + 6 > start.length || start.readUInt32BE(header) !== 0x50450000) return null
    return { format: 'pe', arch: PE_ARCH[start.readUInt16LE(header + 4)] ?? String(start.readUInt16LE(header + 4)) }
  }
  return null
}
