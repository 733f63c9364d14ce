// Asks all the time and never reads an answer.
const block = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'.repeat(1000)
const ask = () => {
  while (process.stdout.write(block));
  process.stdout.once('drain', ask)
}
ask()
