/** Earlier releases documented `node server/cli.ts <command>`, so scripts and containers may still call it. */
import '../operator/main.ts';
