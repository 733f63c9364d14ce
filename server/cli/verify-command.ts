import { openAudit } from '../accounts/audit/audit.ts'
import { areBytesHeld, heldStore } from '../operation/backup/backup-hold.ts'
import { verifyPlace } from '../operation/verify-place.ts'
import type { Command } from './command.ts'
import { openCurrentPlace, openStores, storeFolders } from './open-place.ts'

/** `reeve verify`: checks that everything is there and unchanged. */
export const verifyCommand: Command = {
  summary: 'check the integrity of database, audit log, search, files and packages',
  usage: 'verify [--quick] [--repair]',
  about: `Can be run while the service is running. Every stored byte is read; --quick compares only sizes. --repair removes bytes that have
belonged to no file for more than a day, and rebuilds the search index; nothing else is changed. Exit code 1 if something is wrong.`,
  options: { quick: { type: 'boolean', default: false }, repair: { type: 'boolean', default: false } },
  async run(terminal, { values }) {
    await using place = await openCurrentPlace(terminal)
    const { config, db } = place
    const { files, packages } = await openStores(config, storeFolders(config.dataFolder))
    const findings = await verifyPlace(
      {
        db,
        files: heldStore(files, () => areBytesHeld(db)),
        packages,
        verifyAudit: () => openAudit(db, Date.now).verify(),
      },
      { quick: values['quick'] === true, repair: values['repair'] === true, progress: terminal.progress },
    )
    const lines = findings.flatMap(({ check, ok, looked_at, count, problems, note }) => [
      `${ok ? 'ok  ' : 'FAIL'}  ${check}: ${count === 0 ? `${looked_at} checked` : `${count} of ${looked_at}`}${note === null ? '' : `. ${note}`}`,
      ...problems.map((problem) => `        ${problem}`),
    ])
    const ok = findings.every((finding) => finding.ok)
    return { code: ok ? 0 : 1, value: { ok, findings }, text: lines.join('\n') }
  },
}
