import { shownText } from './shown-text.ts'
import { BundleError } from './bundle-error.ts'

/**
 * Takes the paths of an archive one by one and refuses what would be one file or folder on some file system: twice the same, the same
 * but for case or Unicode normalisation, a file where a folder is. At most
 * `limit` files and folders, those counted that are named only on the way to others.
 */
export function openPathRegister(limit: number) {
  const known = new Map<string, { spelled: string; directory: boolean; own: boolean }>()

  function add(spelled: string, directory: boolean, own: boolean): void {
    const key = spelled.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
    const before = known.get(key)
    if (before === undefined) {
      known.set(key, { spelled, directory, own })
      if (known.size > limit)
        throw new BundleError('archive_too_large', `The archive holds more than ${limit} files and folders.`)
      return
    }
    const shown = shownText(spelled)
    if (before.spelled !== spelled) {
      const other = shownText(before.spelled)
      throw new BundleError(
        'bad_archive',
        `The entries “${other}” and “${shown}” differ in case or spelling only.`,
        shown,
      )
    }
    if (before.directory !== directory)
      throw new BundleError('bad_archive', `“${shown}” is a file and a folder at once.`, shown)
    if (own && before.own) throw new BundleError('bad_archive', `The entry “${shown}” is there twice.`, shown)
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
