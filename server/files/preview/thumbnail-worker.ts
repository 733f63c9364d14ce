import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import type { ThumbnailAnswer, ThumbnailJob } from './thumbnail-job.ts'

/**
 * The process that makes thumbnails. It is separate from the service because decoders are native code that handles
 * untrusted bytes: when one crashes, hangs or eats memory, only this process ends.
 */
const LONGEST = 4096

sharp.cache(false)
sharp.concurrency(1)

process.on('message', (job: ThumbnailJob) => {
  void answer(job).then((message) => process.send?.(message))
})
// The service is gone, for whatever reason.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

async function answer({ input, drawing, output, width, pixels }: ThumbnailJob): Promise<ThumbnailAnswer> {
  try {
    // Passed from memory, a drawing has no folder in which it could look for other files.
    const picture = drawing ? await readFile(input) : input
    await sharp(picture, { limitInputPixels: pixels, failOn: 'error', sequentialRead: true, pages: 1 })
      // Upright, as the camera was held.
      .rotate()
      .resize({ width, height: LONGEST, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80, effort: 2 })
      .toFile(output)
    return { ok: true }
  } catch (error) {
    return { ok: false, too_large: error instanceof Error && /pixel limit/i.test(error.message) }
  }
}
