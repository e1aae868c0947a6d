/** Certificates, passwords, rights and roles, on servers that insist on them. */
@NullMarked
package tests.security;

import org.jspecify.annotations.NullMarked;
