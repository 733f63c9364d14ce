import { say } from '../../../kernel/sentence.ts'
import { shownText } from '../manifest/shown-text.ts'
import { BundleError } from '../bundle-error.ts'

/**
 * Collects the paths of an archive one by one and refuses any two that would collide on some file system: duplicates,
 * paths that differ only in case or Unicode normalisation, and a file in place of a folder. Allows at most `limit`
 * files and folders, including parent folders that have no entry of their own.
 */
export function openPathRegister(limit: number) {
  const known = new Map<string, { spelled: string; directory: boolean; own: boolean }>()

  function add(spelled: string, directory: boolean, own: boolean): void {
    const key = spelled.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
    const before = known.get(key)
    if (before === undefined) {
      known.set(key, { spelled, directory, own })
      if (known.size > limit)
        throw new BundleError('archive_too_large', say`The archive contains more than ${limit} files and folders.`)
      return
    }
    const shown = shownText(spelled)
    if (before.spelled !== spelled) {
      const other = shownText(before.spelled)
      throw new BundleError(
        'bad_archive',
        say`The entries “${other}” and “${shown}” differ only in case or spelling.`,
        shown,
      )
    }
    if (before.directory !== directory)
      throw new BundleError('bad_archive', say`The entry “${shown}” ${say`is both a file and a folder`}.`, shown)
    if (own && before.own) throw new BundleError('bad_archive', say`The entry “${shown}” appears twice.`, shown)
    before.own ||= own
  }

  return {
    /** @throws {BundleError} `bad_archive` or `archive_too_large` */
    add(path: string, directory: boolean): void {
      for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
        add(path.slice(0, slash), true, false)
      add(path, directory, true)
    },
  }
}
