import { readFile, writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import type { ThumbnailAnswer, ThumbnailJob } from './thumbnail-job.ts'

/**
 * The process that makes thumbnails. It is apart from the service because decoders are native code over strangers' bytes:
 * when one crashes, hangs or eats memory, this process ends and nothing else does.
 */
const LONGEST = 4096

sharp.cache(false)
sharp.concurrency(1)
// When memory runs out, this process goes and not the service.
const ready = writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined)

process.on('message', (job: ThumbnailJob) => {
  void ready.then(() => answer(job)).then((message) => process.send?.(message))
})
// The service is gone, however that came.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

async function answer({ input, drawing, output, width, pixels }: ThumbnailJob): Promise<ThumbnailAnswer> {
  try {
    // From memory, a drawing has no folder beside which it could look for other files.
    const picture = drawing ? await readFile(input) : input
    await sharp(picture, { limitInputPixels: pixels, failOn: 'error', sequentialRead: true, pages: 1 })
      // As the camera was held.
      .rotate()
      .resize({ width, height: LONGEST, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80, effort: 2 })
      .toFile(output)
    return { ok: true }
  } catch (error) {
    return { ok: false, too_large: error instanceof Error && /pixel limit/i.test(error.message) }
  }
}
