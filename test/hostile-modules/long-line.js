// One message of 11 MiB; without an end where the argument says so.
process.stdin.resume()
process.stdout.write(
  `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(11 * 1024 * 1024)}"}${process.argv[2] === 'endless' ? '' : '\n'}`,
)
