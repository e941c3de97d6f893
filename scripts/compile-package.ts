import path from 'node:path';
import ts from 'typescript';

/**
 * Compiles a package by its `tsconfig.build.json`; prints errors and ends the process if that fails.
 * @returns the program, whose types callers may inspect
 */
export function compilePackage(folder: string): ts.Program {
  const failOn = (diagnostics: readonly ts.Diagnostic[]): void => {
    if (diagnostics.length > 0) fail(folder, diagnostics);
  };
  const file = path.join(folder, 'tsconfig.build.json');
  const host: ts.ParseConfigFileHost = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => failOn([diagnostic]),
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(file, {}, host);
  if (parsed === undefined) throw new Error(`cannot read ${file}`);
  const program = ts.createProgram(parsed.fileNames, parsed.options);
  const emitted = program.emit();
  failOn([...ts.getPreEmitDiagnostics(program), ...emitted.diagnostics]);
  return program;
}

function fail(folder: string, diagnostics: readonly ts.Diagnostic[]): never {
  const host: ts.FormatDiagnosticsHost = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => folder,
    getNewLine: () => '\n',
  };
  process.stderr.write(ts.formatDiagnostics(diagnostics, host));
  process.exit(1);
}
