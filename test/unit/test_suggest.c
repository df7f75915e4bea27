/* Which names are suggested for one that is not known. */
#include "base/text/suggest.h"
#include "check.h"

static const char *best(const char *text, const char *words)
{
    static suggestion s; /* outlives the call: the result points into it */
    suggest_begin(&s, text, strlen(text));
    suggest_words(&s, words);
    return s.name;
}

static void test_likeness(void)
{
    CHECK_TEXT(best("relu", "Exp Log Relu"), "Relu");
    CHECK_TEXT(best("Matmull", "Dot MatMul"), "MatMul");
    CHECK_TEXT(best("chek", "fmt check convert"), "check");
    CHECK_TEXT(best("cehck", "fmt check convert"), "check"); /* neighbours exchanged */
    CHECK_TEXT(best("exq", "exp exp2"), "exp");
    CHECK_TEXT(best("axis", "axes keepdims"), "axes");
    CHECK_TEXT(best("Softmax", "Relu MatMul"), "");
    CHECK_TEXT(best("x", "y z"), ""); /* nothing of it is alike */
    CHECK_TEXT(best("X", "y x"), "x");
    CHECK_TEXT(best("", "a b"), "");
    CHECK_TEXT(best("ab", ""), "");
    /* two edits, wherever they are */
    CHECK_TEXT(best("transpose", "anspose"), "anspose");
    CHECK_TEXT(best("transpose", "xxtranspose"), "xxtranspose");
    CHECK_TEXT(best("transpose", "transpo"), "transpo");
    CHECK_TEXT(best("transpose", "ransposed"), "ransposed");
    CHECK_TEXT(best("transpose", "rtanspoes"), "rtanspoes");
    CHECK_TEXT(best("transpose", "ntraspose"), "ntraspose");
    /* three */
    CHECK_TEXT(best("transpose", "nspose"), "");
    CHECK_TEXT(best("transpose", "ansposed"), "");
    CHECK_TEXT(best("transpose", "rtnaspoes"), "");
    CHECK_TEXT(best("transpose", "spotranse"), "");
}

static void test_ties(void)
{
    suggestion s;
    suggest_begin(&s, "sun", 3);
    suggest_words(&s, "sub sub sum");
    CHECK_TEXT(s.name, "sub");
    CHECK_TEXT(s.second, "sum");
    suggest_words(&s, "SUN"); /* is closer than both */
    CHECK_TEXT(s.name, "SUN");
    CHECK_TEXT(s.second, "");
}

static void test_alias(void)
{
    suggestion s;
    suggest_begin(&s, "index_dtype", 11);
    suggest_alias(&s, "index_dtype", "indices_dtype");
    suggest_words(&s, "k axis largest");
    CHECK_TEXT(s.name, "indices_dtype");
}

static void test_long_names(void)
{
    char text[200];
    suggestion s;
    memset(text, 'a', sizeof text);
    suggest_begin(&s, text, sizeof text);
    suggest_name(&s, text, sizeof text - 1);
    CHECK_TEXT(s.name, "");
    suggest_begin(&s, text, SUGGEST_LONGEST);
    suggest_name(&s, text, SUGGEST_LONGEST - 1);
    suggest_name(&s, text, sizeof text);
    CHECK_INT(strlen(s.name), SUGGEST_LONGEST - 1);
}

int main(void)
{
    test_likeness();
    test_ties();
    test_alias();
    test_long_names();
    return check_result();
}
