/**
 * Builds the package for publishing: the sources to `dist/`, and the contract's types written out in
 * full, so that an installed client needs neither the contract package nor its schema library.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { compilePackage } from '../../../scripts/compile-package.ts';

const FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));
const TYPES_FILE = join(FOLDER, 'src', 'contract-types.ts');
const DIST = join(FOLDER, 'dist');

rmSync(DIST, { recursive: true, force: true });
writeFileSync(join(DIST, 'contract-types.d.ts'), writeOutTypes(compilePackage(FOLDER), TYPES_FILE));

/** Returns the types that a file exports as self-contained declarations. */
function writeOutTypes(program: ts.Program, path: string): string {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`not a module: ${path}`);
  const flags: ts.TypeFormatFlags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias;
  const declarations = checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const text = checker
      .typeToString(checker.getDeclaredTypeOfSymbol(target), undefined, flags)
      .replaceAll(/\s+/g, ' ');
    if (/\bimport\(|[:<|] ?any\b/.test(text)) throw new Error(`${symbol.name} is not self-contained: ${text}`);
    return `export type ${symbol.name} = ${text};`;
  });
  return `/** The service's types, written out in full. */\n${declarations.join('\n')}\n`;
}
