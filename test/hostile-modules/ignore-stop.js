// Ends neither with its input nor when it is told to.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => process.stderr.write(`no ${signal}\n`))
process.stdin.resume()
setInterval(() => undefined, 1000)
process.stdout.write('{"jsonrpc":"2.0","method":"notifications/ready"}\n')
