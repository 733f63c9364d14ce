import { lazy, Suspense } from 'react'
import type { FileRef } from '../../../contract/files.ts'
import { FileLink } from './file-link.tsx'

const ShownFile = lazy(async () => ({ default: (await import('../../files/shown-file.tsx')).ShownFile }))

/** A stored file of a message; its link is there at once, its preview loads later. */
export function MessageFile({ file }: { readonly file: FileRef }) {
  return (
    <Suspense fallback={<FileLink file={file} />}>
      <ShownFile file={file} />
    </Suspense>
  )
}
