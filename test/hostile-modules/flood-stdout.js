// Writes messages as fast as it can; in the middle of it stands one answer. The argument is what it floods with.
const line =
  process.argv[2] === 'noise' ? 'Server started\n'.repeat(64) : '{"jsonrpc":"2.0","method":"notifications/x"}\n'
const block = line.repeat(2000)
process.stdin.resume()
const flood = () => {
  while (process.stdout.write(block));
  process.stdout.once('drain', flood)
}
flood()
