// Uses the processor and answers nothing.
process.stdout.write('{"jsonrpc":"2.0","method":"notifications/ready"}\n')
for (;;);
