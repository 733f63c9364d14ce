import { fromBuffer } from 'yauzl'
import { collect } from './workbook-readers.ts'

/** The files of an archive by their names. */
export async function readZip(bytes: Buffer): Promise<Record<string, Buffer>> {
  const found: Record<string, Buffer> = {}
  await new Promise<void>((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error !== null) return reject(error)
      zip.on('error', reject)
      zip.on('end', resolve)
      zip.on('entry', (entry) => {
        zip.openReadStream(entry, (failed, stream) => {
          if (failed !== null) return reject(failed)
          collect(stream).then((data) => {
            found[entry.fileName] = data
            zip.readEntry()
          }, reject)
        })
      })
      zip.readEntry()
    })
  })
  return found
}
