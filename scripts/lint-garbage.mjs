/**
 * Lint rules of the server: code of a request that V8 allocates in its old generation would keep the objects of the
 * request until the next full collection.
 */

/** @param {string} type @param {(node: any) => boolean} isRefused @param {string} message */
function refuse(type, isRefused, message) {
  return {
    /** @param {any} context */
    create(context) {
      return {
        /** @param {any} node */
        [type](node) {
          if (isRefused(node)) context.report({ node, message });
        },
      };
    },
  };
}

// oxlint-disable-next-line import/no-default-export -- a plugin is a default export
export default {
  meta: { name: 'garbage' },
  rules: {
    'no-object-getters': refuse(
      'Property',
      ({ kind }) => kind === 'get' || kind === 'set',
      'V8 allocates accessors of object literals in the old generation. Use a method, or a class.',
    ),
    'no-assigned-functions': refuse(
      'AssignmentExpression',
      ({ left, right }) => left.type === 'MemberExpression' && /^(?:Arrow)?Function/.test(right.type),
      'V8 allocates functions that are assigned to properties in the old generation. Use a field of the class, or assign a constant.',
    ),
  },
};
