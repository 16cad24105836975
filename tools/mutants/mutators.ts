// Small faults that a test should notice, and the places of a source file that can have them.
import {
  isBigIntLiteral,
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isExportDeclaration,
  isExpressionStatement,
  isIfStatement,
  isImportDeclaration,
  isInterfaceDeclaration,
  isNumericLiteral,
  isPrefixUnaryExpression,
  isPropertyAssignment,
  isReturnStatement,
  isStringLiteral,
  isTypeAliasDeclaration,
  isTypeNode,
  isWhileStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";

/** A fault: the text that replaces a part of a file. */
export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The part that is replaced. */
  readonly was: string;
}

const OPERATORS: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
};

/** Texts for people are not behaviour. */
const LOG = /^(await )?[\w.#]*\blog\.\w+\(/;
const PROSE = new Set(["summary", "description", "tag"]);

/** Returns all faults that a file can have, in the order of their places. */
export function mutantsOf(source: SourceFile, file: string): Mutant[] {
  const mutants: Mutant[] = [];
  const visit = (node: Node): void => {
    if (isSkipped(node, source)) return;
    for (const [target, text] of replacements(node, source)) {
      const [start, end] = [target.getStart(source), target.end];
      const line = source.text.slice(0, start).split("\n").length;
      mutants.push({ file, line, start, end, text, was: source.text.slice(start, end) });
    }
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return mutants;
}

function isSkipped(node: Node, source: SourceFile): boolean {
  if (isTypeNode(node) || isInterfaceDeclaration(node) || isTypeAliasDeclaration(node)) return true;
  if (isImportDeclaration(node) || isExportDeclaration(node)) return true;
  if (isPropertyAssignment(node)) return PROSE.has(node.name.getText(source));
  return isCallExpression(node) && LOG.test(node.getText(source));
}

/** Returns the parts of a node that can be replaced, each with its replacement. */
function* replacements(node: Node, source: SourceFile): Generator<[Node, string]> {
  const text = (part: Node): string => part.getText(source);
  if (isBinaryExpression(node)) {
    const operator = text(node.operatorToken);
    const other = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    if (other !== undefined) yield [node.operatorToken, other];
    if (operator === "??") yield* [text(node.left), text(node.right)].map((side): [Node, string] => [node, side]);
  }
  const condition = conditionOf(node);
  if (condition !== undefined)
    yield* [`!(${text(condition)})`, "true", "false"].map((is): [Node, string] => [condition, is]);
  if (isExpressionStatement(node) && isCall(node.expression) && !LOG.test(text(node))) yield [node, ";"];
  if (isReturnStatement(node) && node.expression !== undefined) yield [node, "return;"];
  if (isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) yield [node, text(node.operand)];
  if (node.kind === SyntaxKind.TrueKeyword) yield [node, "false"];
  if (node.kind === SyntaxKind.FalseKeyword) yield [node, "true"];
  if (isNumericLiteral(node)) yield [node, String(Number(node.text) + 1)];
  if (isBigIntLiteral(node)) yield [node, `${BigInt(node.text.slice(0, -1)) + 1n}n`];
  if (isStringLiteral(node)) yield [node, node.text === "" ? '"mutant"' : '""'];
}

const isCall = (node: Node): boolean =>
  isCallExpression(node) || (node.kind === SyntaxKind.AwaitExpression && (node.forEachChild(isCall) ?? false));

function conditionOf(node: Node): Node | undefined {
  if (isIfStatement(node) || isWhileStatement(node)) return node.expression;
  return isConditionalExpression(node) ? node.condition : undefined;
}
