/**
 * Loaded into the server before its own code: when the launcher disappears, the server stops as if asked to.
 */
import process from 'node:process'

if (process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // Listening must not keep a server alive that has finished.
  process.channel.unref()
}
